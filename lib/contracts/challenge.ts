/** The PKCE code challenge of an authorization request. RFC 7636 §4.3 */
export interface Challenge {
  codeChallenge: string;
  codeChallengeMethod: string;
}
