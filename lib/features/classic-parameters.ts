import type { ParameterDescriptions, EndpointDescription } from '../contracts/endpoint-description.js';

/** RFC 6749 §4.1.1, §3.2 */
export const PARAMETERS: ParameterDescriptions = {
  authorize: {
    response_type: 'What is asked for.',
    client_id: 'The client.',
    redirect_uri: 'Where the answer goes; needed where the client has registered several.',
    scope: 'The scopes that are asked for, separated by spaces.',
    state: 'Comes back as it was sent; needed without PKCE.',
    response_mode: 'How the answer travels.',
  },
  token: { grant_type: 'On what ground.', scope: 'The scopes that are asked for, separated by spaces.' },
};

/** RFC 6749 §4.1.3, RFC 7636 §4.3 */
export const CODE_PARAMETERS: ParameterDescriptions = {
  authorize: { code_challenge: 'The PKCE challenge.', code_challenge_method: 'How it was made of the verifier: S256.' },
  token: {
    code: 'The authorization code.',
    redirect_uri: 'As in the authorization request.',
    code_verifier: 'What the PKCE challenge was made of.',
  },
};

/** RFC 6749 §4.3.2 */
export const PASSWORD_PARAMETERS: ParameterDescriptions = {
  token: { username: 'The name of the user.', password: 'The password of the user.' },
};

/** RFC 6749 §6 */
export const REFRESH_PARAMETERS: ParameterDescriptions = { token: { refresh_token: 'The refresh token.' } };

/** RFC 6749 §5.1 */
export const TOKEN_RESPONSE: NonNullable<EndpointDescription['response']> = {
  access_token: { type: 'string' },
  token_type: { type: 'string' },
  expires_in: { type: 'integer' },
  refresh_token: { type: 'string' },
  scope: { type: 'string' },
};
