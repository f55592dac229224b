import { InvalidRequestError, type OAuthError } from '../errors/index.js';
import type { Request } from './request.js';
import { isVSCHAR, type Syntax } from './syntax.js';

type ErrorClass = new (message: string) => OAuthError;

/** A part of the request that may contain parameters. */
export type ParameterLocation = 'body' | 'query';

/** The locations of the parameters of an authorization request: the form body, then the URL. RFC 6749 §3.1 */
export const FORM_OR_URL: readonly ParameterLocation[] = ['body', 'query'];

/**
 * Reads an optional parameter from the first location that contains it. Returns `undefined` if it is missing or empty.
 * @throws {InvalidRequestError} If the parameter is repeated. If its value is invalid, `Invalid` is thrown, by default
 * also an `InvalidRequestError`. RFC 6749 §3.1
 */
export function optional(
  request: Request,
  name: string,
  syntax: Syntax,
  locations: readonly ParameterLocation[] = ['body'],
  Invalid: ErrorClass = InvalidRequestError,
): string | undefined {
  const value = findValue(request, name, locations);
  if (!isSet(value)) return undefined;
  if (Array.isArray(value)) throw new InvalidRequestError(`Repeated parameter: \`${name}\``);
  return readText(value, name, syntax, Invalid);
}

/**
 * Reads a required parameter.
 * @throws {InvalidRequestError} If the parameter is missing, repeated or invalid.
 */
export function required(
  request: Request,
  name: string,
  syntax: Syntax,
  locations?: readonly ParameterLocation[],
): string {
  const value = optional(request, name, syntax, locations);
  if (value === undefined) throw new InvalidRequestError(`Missing parameter: \`${name}\``);
  return value;
}

/** Maximum number of values of a repeated parameter, such as `resource`. RFC 8707 §2 */
const MAX_VALUES = 32;

/** The parameters of a request. A feature decides for each parameter whether it may be repeated. RFC 6749 §3.1 */
export class Parameters {
  constructor(
    private readonly request: Request,
    private readonly locations?: readonly ParameterLocation[],
  ) {}

  /**
   * Reads an optional parameter. Returns `undefined` if it is missing or empty.
   * @param syntax Tests whether a value is valid. Default: printable ASCII.
   * @throws {InvalidRequestError} If the parameter is repeated or its value is invalid.
   */
  optional(name: string, syntax: Syntax = isVSCHAR): string | undefined {
    return optional(this.request, name, syntax, this.locations);
  }

  /**
   * Reads a required parameter.
   * @param syntax Tests whether a value is valid. Default: printable ASCII.
   * @throws {InvalidRequestError} If the parameter is missing, repeated or invalid.
   */
  required(name: string, syntax: Syntax = isVSCHAR): string {
    return required(this.request, name, syntax, this.locations);
  }

  /**
   * Reads a parameter that may be repeated. Returns its distinct, non-empty values, or an empty list if it is missing.
   * @param syntax Tests whether a value is valid. Default: printable ASCII.
   * @throws {InvalidRequestError} If a value is invalid, or if there are more than 32 values.
   */
  all(name: string, syntax: Syntax = isVSCHAR): readonly string[] {
    const value = findValue(this.request, name, this.locations);
    const values = (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isSet);
    if (values.length > MAX_VALUES)
      throw new InvalidRequestError(`Repeated parameter: \`${name}\`, more than ${MAX_VALUES} times`);
    return [...new Set(values.map((one) => readText(one, name, syntax, InvalidRequestError)))];
  }
}

function findValue(request: Request, name: string, locations: readonly ParameterLocation[] = ['body']): unknown {
  for (const location of locations) {
    const value = ownValue(location === 'body' ? request.body : request.query, name);
    if (isSet(value)) return value;
  }
  return undefined;
}

const ownValue = (parameters: unknown, name: string): unknown =>
  typeof parameters === 'object' && parameters !== null && Object.hasOwn(parameters, name)
    ? (parameters as Record<string, unknown>)[name]
    : undefined;

function readText(value: unknown, name: string, syntax: Syntax, Invalid: ErrorClass): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !syntax(text)) throw new Invalid(`Invalid parameter: \`${name}\``);
  return text;
}

const isSet = (value: unknown) => value !== undefined && value !== null && value !== '';
