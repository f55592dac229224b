const PREFIX = 'urn:ietf:params:oauth:token-type:';

/** What a token is, by the URIs of the specification. RFC 8693 §3 */
export const ACCESS_TOKEN = `${PREFIX}access_token`;
export const REFRESH_TOKEN = `${PREFIX}refresh_token`;

export const ID_TOKEN = `${PREFIX}id_token`;
export const SAML2 = `${PREFIX}saml2`;
export const JWT = `${PREFIX}jwt`;
/** draft-ietf-oauth-identity-assertion-authz-grant §4.3 */
export const ID_JAG = `${PREFIX}id-jag`;

/** Those that this server issues itself, and by which of its finders they are found; of all others a verifier is asked. */
export const OWN_TOKEN_TYPES = new Map([
  [ACCESS_TOKEN, 'access_token'],
  [REFRESH_TOKEN, 'refresh_token'],
] as const);

export type OwnTokenType = Parameters<(typeof OWN_TOKEN_TYPES)['get']>[0];

/** How long the name of a type may be. */
const MAX_LENGTH = 256;

/** An absolute URI, to the letter. RFC 8693 §3, RFC 3986 §4.3 */
export const isTokenType = (text: string): boolean =>
  text.length <= MAX_LENGTH && /^[a-z][a-z\d+.-]*:[\x21-\x7e]+$/i.test(text);
