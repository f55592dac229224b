import type { EndpointDescription } from '../contracts/endpoint-description.js';

/**
 * Descriptions of the parameters of the introspection and revocation endpoints, for API descriptions. RFC 7009 §2.1,
 * RFC 7662 §2.1
 */
export const TOKEN_PARAMETERS = {
  token: 'The token.',
  token_type_hint: 'The kind of token to search first: access_token or refresh_token.',
};

/** The description of the introspection endpoint, for API descriptions. RFC 7662 §2.2 */
export const INTROSPECTION: EndpointDescription = {
  summary: 'Returns whether a token is active, and its properties. RFC 7662',
  required: ['token'],
  response: {
    active: { type: 'boolean' },
    scope: { type: 'string' },
    client_id: { type: 'string' },
    username: { type: 'string' },
    token_type: { type: 'string' },
    exp: { type: 'integer' },
    iat: { type: 'integer' },
    sub: { type: 'string' },
    iss: { type: 'string' },
  },
};
