import type { ParameterDescriptions, EndpointDescription } from '../contracts/endpoint-description.js';

/**
 * Descriptions of the basic parameters of the authorization and token endpoints, for API descriptions.
 * RFC 6749 §4.1.1, §3.2
 */
export const PARAMETERS: ParameterDescriptions = {
  authorize: {
    response_type: 'The response type, such as `code`.',
    client_id: 'The client.',
    redirect_uri: 'The redirect URI. Required if the client has registered several.',
    scope: 'The requested scope values, separated by spaces.',
    state:
      'A value that the response returns unchanged. Required without PKCE, unless the server allows requests without `state`.',
    response_mode: 'How the response parameters are returned, such as `query`.',
  },
  token: { grant_type: 'The grant type.', scope: 'The requested scope values, separated by spaces.' },
};

/**
 * Descriptions of the parameters of the authorization code grant, for API descriptions. RFC 6749 §4.1.3, RFC 7636 §4.3
 */
export const CODE_PARAMETERS: ParameterDescriptions = {
  authorize: {
    code_challenge: 'The PKCE challenge.',
    code_challenge_method: 'How the challenge is derived from the code verifier: S256.',
  },
  token: {
    code: 'The authorization code.',
    redirect_uri: 'The same redirect URI as in the authorization request.',
    code_verifier: 'The PKCE code verifier.',
  },
};

/** Descriptions of the parameters of the password grant, for API descriptions. RFC 6749 §4.3.2 */
export const PASSWORD_PARAMETERS: ParameterDescriptions = {
  token: { username: 'The username with which the user signs in.', password: 'The password of the user.' },
};

/** Descriptions of the parameters of the refresh token grant, for API descriptions. RFC 6749 §6 */
export const REFRESH_PARAMETERS: ParameterDescriptions = { token: { refresh_token: 'The refresh token.' } };

/** The members of a token response, for API descriptions. RFC 6749 §5.1 */
export const TOKEN_RESPONSE: NonNullable<EndpointDescription['response']> = {
  access_token: { type: 'string' },
  token_type: { type: 'string' },
  expires_in: { type: 'integer' },
  refresh_token: { type: 'string' },
  scope: { type: 'string' },
};
