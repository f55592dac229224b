/** Further properties of an error; `code` sets its HTTP status. */
export interface OAuthErrorProperties {
  code?: number;
  [key: string]: unknown;
}

/** Which rule a request broke: for the operator alone, and with nothing in it that is a secret. */
export interface RefusalDetail {
  /** For people to read; programs look at the error's code. */
  reason: string;
  /** What would have been right. */
  expected?: unknown;
  given?: unknown;
  /** What to change in the request, the client's registration or the server's options. */
  remedy?: string;
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
export function oauthError(name: string, status: number): typeof OAuthError {
  class NamedError extends OAuthError {
    static override readonly status = status;
  }
  Object.defineProperty(NamedError.prototype, 'name', writable(name));
  return NamedError;
}

Object.defineProperty(OAuthError.prototype, 'name', writable('Error'));
