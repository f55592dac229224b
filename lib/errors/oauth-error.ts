/** Properties to copy onto an error. `code` sets its HTTP status. */
export interface OAuthErrorProperties {
  code?: number;
  [key: string]: unknown;
}

/**
 * Why a request was refused. It is emitted in events and logged, but never sent to the client. It must not contain
 * secrets.
 */
export interface RefusalDetail {
  /**
   * The reason as a phrase for people, such as `authorization code has expired`. Programs should use the OAuth error
   * code instead.
   */
  reason: string;
  /** The value or values that would have been accepted. If omitted, the reason does not depend on a value. */
  expected?: unknown;
  given?: unknown;
  /** How to fix it: what to change in the request, the client's registration or the server's options. */
  remedy?: string;
}

/**
 * The base class of the errors that endpoints return. `name` is the OAuth error code. `code`, `status` and `statusCode`
 * are the HTTP status. `message` is sent as `error_description`, unless it may contain internal details. RFC 6749 §5.2
 */
export class OAuthError extends Error {
  /** The HTTP status of errors of this class, unless `code` is passed to the constructor. */
  static readonly status: number = 500;

  declare code: number;
  declare status: number;
  declare statusCode: number;
  /** The error that caused this one. It may be logged, but is never sent to a client. */
  declare inner?: Error;

  /**
   * @param reason The message, or the error that caused this one. If omitted, the message is the reason phrase of the
   * HTTP status.
   * @param properties Properties to copy onto the error. `code` sets the HTTP status, `name` the OAuth error code.
   */
  constructor(reason?: string | Error, properties?: OAuthErrorProperties) {
    const status = properties?.code ?? new.target.status;
    const cause = reason instanceof Error ? reason : undefined;
    // Refusals are frequent, and capturing a stack is expensive, so only server errors have a stack.
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

  /**
   * Whether the message may be sent to the client, as for errors of `http-errors`. Exception filters of Nest read it, so
   * that an error which a controller does not catch has its own status. `undefined` for errors to log as status 500.
   */
  get expose(): boolean | undefined {
    if (this.status < 500) return true;
    return this.status === 503 ? false : undefined;
  }

  /**
   * Attaches the reason of a refusal for events and the log. The client does not receive it. It must not contain
   * secrets.
   */
  because(detail: RefusalDetail): this {
    details.set(this, detail);
    return this;
  }

  /**
   * Returns the refusal detail that `because()` attached to an error, or to the error that caused it. `undefined` if
   * there is none.
   */
  static detailOf(error: OAuthError): RefusalDetail | undefined {
    return details.get(error) ?? (error.inner instanceof OAuthError ? OAuthError.detailOf(error.inner) : undefined);
  }
}

/** The refusal details of errors. They are stored outside of the errors, so that serializers do not include them. */
const details = new WeakMap<OAuthError, RefusalDetail>();

/** The reason phrases of RFC 9110 §15. They are listed here to avoid loading `node:http`. */
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

/** Whether stack capturing can be switched off. `false` if the application has frozen the built-in objects. */
const STACK_IS_OPTIONAL = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')?.writable === true;

function copyProperties(error: OAuthError, properties: OAuthErrorProperties): void {
  for (const key of Object.keys(properties)) {
    if (key !== '__proto__') Object.defineProperty(error, key, writable(properties[key]));
  }
}

const writable = (value: unknown) => ({ value, configurable: true, enumerable: true, writable: true });

/** Returns an error class with an OAuth error code and a default HTTP status. */
export function oauthError(name: string, status: number): typeof OAuthError {
  class NamedError extends OAuthError {
    static override readonly status = status;
  }
  Object.defineProperty(NamedError.prototype, 'name', writable(name));
  return NamedError;
}

Object.defineProperty(OAuthError.prototype, 'name', writable('Error'));
