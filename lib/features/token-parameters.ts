import type { EndpointDescription } from '../contracts/endpoint-description.js';

/** What is asked of a token. RFC 7009 §2.1, RFC 7662 §2.1 */
export const TOKEN_PARAMETERS = {
  token: 'The token.',
  token_type_hint: 'Where to look first: access_token or refresh_token.',
};

/** RFC 7662 §2.2 */
export const INTROSPECTION: EndpointDescription = {
  summary: 'Says what a token is good for. RFC 7662',
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
