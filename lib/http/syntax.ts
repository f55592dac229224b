/** The character classes of RFC 6749 Appendix A, and those of its companions. */
export type Syntax = (value: string) => boolean;

const matches = (pattern: RegExp) => (value: string) => pattern.test(value);

/** Any text at all. */
export const isNotEmpty: Syntax = (value) => value.length > 0;
/** Visible ASCII and space: client ids, secrets, codes, tokens, state. */
export const isVSCHAR: Syntax = matches(/^[\x20-\x7e]+$/);
/** Scope values, separated by single or more spaces. RFC 6749 §3.3 */
export const isScope: Syntax = matches(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
/** Whether a text is one scope value. RFC 6749 §3.3 */
export const isScopeValue: Syntax = matches(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
/** A `grant_type`: a name or a URI. RFC 6749 §4.5 */
export const isGrantType: Syntax = matches(/^(?:[\w.|-]+|[a-z][a-z\d+.-]+:\S+)$/i);
/** User names and passwords: any text without control characters; a tab will do. */
export const isText: Syntax = (value) => !/[\x00-\x08\x0a-\x1f\x7f]/.test(value) && value.isWellFormed();
/** A code challenge or verifier. RFC 7636 §4.1 */
export const isPKCE: Syntax = matches(/^[\w.~-]{43,128}$/);

/** Something that begins as a URI does. RFC 3986 §3.1 */
export const isUri: Syntax = matches(/^[a-z][a-z\d+.-]+:/i);

const REDIRECT_URI = /^(?!javascript:|data:|vbscript:|blob:|file:|about:)[a-z][a-z\d+.-]+:[\x21\x22\x24-\x7e]+$/i;

/** A URI that an answer may be sent to: absolute, without a fragment, not a script. RFC 6749 §3.1.2 */
export const isRedirectUri: Syntax = (value) => REDIRECT_URI.test(value) && URL.canParse(value);
