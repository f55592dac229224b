/** What a client promises to prove when it redeems the code. RFC 7636 §4.3 */
export interface Challenge {
  codeChallenge: string;
  codeChallengeMethod: string;
}
