/** Further properties of an error; `code` sets its HTTP status. */
export interface OAuthErrorProperties {
  code?: number;
  [key: string]: unknown;
}

/** Which rule a request broke: for the operator alone, and with nothing in it that is a secret. */
export interface RefusalDetail {
  /** For people to read; programs look at the error's code. */
  rule: string;
  /** What would have been right. */
  wanted?: unknown;
  given?: unknown;
}

/**
 * Every failure of this library.
 * `name` is the code that goes on the wire, `code`, `status` and `statusCode` the HTTP status,
 * `message` what goes into `error_description`. RFC 6749 §5.2
 */
export class OAuthError extends Error {
  /** The HTTP status of an error that is not given another. */
  static readonly status: number = 500;

  declare code: number;
  declare status: number;
  declare statusCode: number;
  /** The error this one was made from, for logs: never sent to anybody. */
  declare inner?: Error;

  /**
   * @param reason what is wrong, or the error behind this one; left out: the reason phrase of the HTTP status
   * @param properties copied onto the error; `code` (HTTP status) and `name` (wire code) may be set here
   */
  constructor(reason?: string | Error, properties?: OAuthErrorProperties) {
    const status = properties?.code ?? new.target.status;
    const cause = reason instanceof Error ? reason : undefined;
    // A refused request is no bug, and capturing a stack costs more than the whole check: only faults carry one.
    const isStackless = status < 500 && STACK_IS_OPTIONAL;
    const depth = Error.stackTraceLimit;
    if (isStackless) Error.stackTraceLimit = 0;
    super(cause ? cause.message : (reason as string | undefined), cause && { cause });
    if (isStackless) Error.stackTraceLimit = depth;
    this.code = this.status = this.statusCode = status;
    if (properties) copyProperties(this, properties);
    if (cause) Object.defineProperty(this, 'inner', { value: cause, configurable: true, writable: true });
    if (!this.message) this.message = PHRASES[this.code] ?? 'Unknown error';
  }

  /** Adds what only the operator hears: which rule was broken, and by what. Never a secret. */
  because(detail: RefusalDetail): this {
    details.set(this, detail);
    return this;
  }

  /** What only the operator hears of an error, or of the one it was made from. */
  static detailOf(error: OAuthError): RefusalDetail | undefined {
    return details.get(error) ?? (error.inner instanceof OAuthError ? OAuthError.detailOf(error.inner) : undefined);
  }
}

/** Kept beside the errors, so that no serializer finds it. */
const details = new WeakMap<OAuthError, RefusalDetail>();

/** The reason phrases of RFC 9110 §15; `node:http` knows them too, but a plain host need not load it for them. */
const PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** False where the host has frozen what the language brings. */
const STACK_IS_OPTIONAL = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')?.writable === true;

function copyProperties(error: OAuthError, properties: OAuthErrorProperties): void {
  for (const key of Object.keys(properties)) {
    if (key !== '__proto__') Object.defineProperty(error, key, writable(properties[key]));
  }
}

const writable = (value: unknown) => ({ value, configurable: true, enumerable: true, writable: true });

/** A class of errors: one wire code, one HTTP status. */
function oauthError(name: string, status: number): typeof OAuthError {
  class NamedError extends OAuthError {
    static override readonly status = status;
  }
  Object.defineProperty(NamedError.prototype, 'name', writable(name));
  return NamedError;
}

Object.defineProperty(OAuthError.prototype, 'name', writable('Error'));

// RFC 6749 §5.2: the token endpoint
export class InvalidRequestError extends oauthError('invalid_request', 400) {}
export class InvalidClientError extends oauthError('invalid_client', 400) {}
export class InvalidGrantError extends oauthError('invalid_grant', 400) {}
export class UnauthorizedClientError extends oauthError('unauthorized_client', 400) {}
export class UnsupportedGrantTypeError extends oauthError('unsupported_grant_type', 400) {}
export class InvalidScopeError extends oauthError('invalid_scope', 400) {}

// RFC 6749 §4.1.2.1: the authorization endpoint
export class AccessDeniedError extends oauthError('access_denied', 400) {}
export class UnsupportedResponseTypeError extends oauthError('unsupported_response_type', 400) {}
export class ServerError extends oauthError('server_error', 503) {}
/** Nothing is wrong but the moment: the same request may be made again. RFC 6749 §4.1.2.1 */
export class TemporarilyUnavailableError extends oauthError('temporarily_unavailable', 503) {
  /** After how many seconds, where that is known: `Retry-After`. RFC 9110 §10.2.3 */
  declare retryAfter?: number;
}

// RFC 6750 §3.1: the protected resource
export class InvalidTokenError extends oauthError('invalid_token', 401) {}
export class InsufficientScopeError extends oauthError('insufficient_scope', 403) {}
/** The request carries no token at all. RFC 6750 §3 */
export class UnauthorizedRequestError extends oauthError('unauthorized_request', 401) {}

/** The host uses the library wrongly: a fault to mend, never a protocol error on the wire. */
export class InvalidArgumentError extends oauthError('invalid_argument', 500) {}

const NAMED = [
  InvalidRequestError,
  InvalidClientError,
  InvalidGrantError,
  UnauthorizedClientError,
  UnsupportedGrantTypeError,
  InvalidScopeError,
  AccessDeniedError,
  UnsupportedResponseTypeError,
  ServerError,
  TemporarilyUnavailableError,
  InvalidTokenError,
  InsufficientScopeError,
  UnauthorizedRequestError,
] as const;

/** Any failure as one of ours. What the host's own code threw stays in `inner`: its text may hold secrets. */
export function toOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error instanceof Error) return sameError(error) ?? hidden(error);
  return hidden(new Error('The model failed with a value that is no error', { cause: error }));
}

const HIDDEN = 'Server error: the request could not be handled';
const LATER = 'Temporarily unavailable: try again later';
const hidden = (error: Error) => new ServerError(error, { message: HIDDEN });

/** An OAuth error of another copy of this library, or of the classic one, that a model was written against. */
function sameError(error: ForeignError): OAuthError | undefined {
  if (typeof error.code !== 'number' || error.code !== error.statusCode) return undefined;
  const Named = NAMED.find(({ prototype }) => prototype.name === error.name);
  const { code, retryAfter } = error;
  return Named && new Named(error, retryAfter === undefined ? { code } : { code, retryAfter });
}

type ForeignError = Error & { code?: unknown; statusCode?: unknown; retryAfter?: unknown };

/** What is said of an error on the wire, in the characters allowed there. RFC 6749 §5.2 */
export function errorResponse(error: OAuthError): { error: string; error_description: string } {
  // A fault made from another error has that one's text, which may be the host's.
  const isSecret = error instanceof InvalidArgumentError || (error.code >= 500 && error.inner !== undefined);
  const message = isSecret ? (error instanceof TemporarilyUnavailableError ? LATER : HIDDEN) : String(error.message);
  return { error: wireCode(error), error_description: message.replaceAll('"', "'").replaceAll(UNSAYABLE, '?') };
}

/** The seconds after which to come again, as the header `Retry-After` says them. RFC 9110 §10.2.3 */
export function retryAfterOf(error: OAuthError): string | undefined {
  const { retryAfter } = error as TemporarilyUnavailableError;
  const isSayable = error instanceof TemporarilyUnavailableError && retryAfter! >= 0 && retryAfter! < Infinity;
  return isSayable ? String(Math.ceil(retryAfter!)) : undefined;
}

const UNSAYABLE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

/** The code of an error as answers name it; an error that has none of OAuth's is a fault of this server. */
export function wireCode(error: OAuthError): string {
  const { name } = error;
  if (error instanceof InvalidArgumentError || name === 'Error') return 'server_error';
  return CODES.has(name) || /^[\w.:/-]+$/.test(name) ? name : 'server_error';
}

/** To find a code here costs less than to check its spelling, which was a tenth of the time of a refusal. */
const CODES = new Set(NAMED.map(({ prototype }) => prototype.name));
