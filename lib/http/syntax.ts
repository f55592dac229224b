/**
 * A test whether a parameter value is valid. The tests of this module implement RFC 6749 Appendix A and related
 * specifications.
 */
export type Syntax = (value: string) => boolean;

const matches = (pattern: RegExp) => (value: string) => pattern.test(value);

/** Whether a text is not empty. */
export const isNotEmpty: Syntax = (value) => value.length > 0;
/**
 * Whether a text consists of printable ASCII characters and spaces, as client IDs, secrets, codes, tokens and `state`
 * do.
 */
export const isVSCHAR: Syntax = matches(/^[\x20-\x7e]+$/);
/** Whether a text contains only characters of scope values and spaces. RFC 6749 §3.3 */
export const isScope: Syntax = matches(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
/** Whether a text is one scope value. RFC 6749 §3.3 */
export const isScopeValue: Syntax = matches(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
/** Whether a text is a `grant_type`: a name or a URI. RFC 6749 §4.5 */
export const isGrantType: Syntax = matches(/^(?:[\w.|-]+|[a-z][a-z\d+.-]+:\S+)$/i);
/** Whether a text is valid as user name or password: any text without control characters, except tab. */
export const isText: Syntax = (value) => !/[\x00-\x08\x0a-\x1f\x7f]/.test(value) && value.isWellFormed();
/** Whether a text is a PKCE code challenge or code verifier. A count in the pattern would take longer. RFC 7636 §4.1 */
export const isPKCE: Syntax = (value) => value.length >= 43 && value.length <= 128 && /^[\w.~-]+$/.test(value);

/** Whether a text begins with a URI scheme. RFC 3986 §3.1 */
export const isUri: Syntax = matches(/^[a-z][a-z\d+.-]+:/i);

const REDIRECT_URI = /^(?!javascript:|data:|vbscript:|blob:|file:|about:)[a-z][a-z\d+.-]+:[\x21\x22\x24-\x7e]+$/i;

/**
 * Whether a text is a valid redirect URI: absolute, without fragment, and not of a scheme that runs scripts or reads
 * files. RFC 6749 §3.1.2
 */
export const isRedirectUri: Syntax = (value) => REDIRECT_URI.test(value) && URL.canParse(value);
