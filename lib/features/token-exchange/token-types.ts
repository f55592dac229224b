const PREFIX = 'urn:ietf:params:oauth:token-type:';

/** The token type of access tokens. RFC 8693 §3 */
export const ACCESS_TOKEN = `${PREFIX}access_token`;
/** The token type of refresh tokens. RFC 8693 §3 */
export const REFRESH_TOKEN = `${PREFIX}refresh_token`;

/** The token type of ID tokens. RFC 8693 §3 */
export const ID_TOKEN = `${PREFIX}id_token`;
/** The token type of SAML 2.0 assertions. RFC 8693 §3 */
export const SAML2 = `${PREFIX}saml2`;
/** The token type of JWTs whose purpose is not specified further. RFC 8693 §3 */
export const JWT = `${PREFIX}jwt`;
/** The type of identity assertion grants. draft-ietf-oauth-identity-assertion-authz-grant §4.3 */
export const ID_JAG = `${PREFIX}id-jag`;

/**
 * The types of the tokens that this server issues and stores, each with its kind. Tokens of all other types are foreign
 * and need a verifier.
 */
export const OWN_TOKEN_TYPES = new Map([
  [ACCESS_TOKEN, 'access_token'],
  [REFRESH_TOKEN, 'refresh_token'],
] as const);

export type OwnTokenType = Parameters<(typeof OWN_TOKEN_TYPES)['get']>[0];

/** Maximum length of a token type, in characters. */
const MAX_LENGTH = 256;

/** Whether the text is an absolute URI, as every token type is. RFC 8693 §3, RFC 3986 §4.3 */
export const isTokenType = (text: string): boolean =>
  text.length <= MAX_LENGTH && /^[a-z][a-z\d+.-]*:[\x21-\x7e]+$/i.test(text);
