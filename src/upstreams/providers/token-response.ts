import type { TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';

/** The tokens of a token response. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly idToken: string | undefined;
  readonly scope: string | undefined;
  /** Seconds until the access token expires. */
  readonly expiresIn: number | undefined;
  /** The user whom the ID token names. `undefined` without an ID token. */
  readonly subject: { readonly iss: string; readonly sub: string } | undefined;
}

/** Returns the tokens of a token response that the library has verified. */
export function issuedIn(response: TokenEndpointResponse & TokenEndpointResponseHelpers): IssuedTokens {
  const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken, scope } = response;
  const { iss, sub } = response.claims() ?? {};
  return {
    accessToken,
    refreshToken,
    idToken,
    scope,
    expiresIn: response.expires_in,
    subject: iss === undefined || sub === undefined ? undefined : { iss, sub },
  };
}
