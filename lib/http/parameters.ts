import { InvalidRequestError, type OAuthError } from '../errors/index.js';
import type { Request } from './request.js';
import { isVSCHAR, type Syntax } from './syntax.js';

type ErrorClass = new (message: string) => OAuthError;

/** Where a parameter is looked for: the first place that has it. */
export type ParameterLocation = 'body' | 'query';

/** Where the parameters of an authorization request are: in its form, or in its URL. RFC 6749 §3.1 */
export const FORM_OR_URL: readonly ParameterLocation[] = ['body', 'query'];

/** Reads a parameter; one sent without a value counts as left out. RFC 6749 §3.1 */
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

/** Reads a parameter that must be there. */
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

/** What a client may repeat, as `resource`: more of it is not meant well. RFC 8707 §2 */
const MAX_VALUES = 32;

/** The parameters of a request, for features. Whoever reads one says whether it may be repeated. RFC 6749 §3.1 */
export class Parameters {
  constructor(
    private readonly request: Request,
    private readonly locations?: readonly ParameterLocation[],
  ) {}

  /**
   * A parameter; undefined when it is left out, or has no value.
   * @param syntax which texts are good. Default: printable ASCII
   * @throws InvalidRequestError when it is repeated, or not good
   */
  optional(name: string, syntax: Syntax = isVSCHAR): string | undefined {
    return optional(this.request, name, syntax, this.locations);
  }

  /** The same of one that must be there. @throws InvalidRequestError when it is not */
  required(name: string, syntax: Syntax = isVSCHAR): string {
    return required(this.request, name, syntax, this.locations);
  }

  /** The values of a parameter that may be repeated, each once; none when it is left out. */
  all(name: string, syntax: Syntax = isVSCHAR): readonly string[] {
    const value = findValue(this.request, name, this.locations);
    const values = (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isSet);
    if (values.length > MAX_VALUES)
      throw new InvalidRequestError(`Repeated parameter: \`${name}\`, more than ${MAX_VALUES} times`);
    return [...new Set(values.map((one) => readText(one, name, syntax, InvalidRequestError)))];
  }
}

function findValue(request: Request, name: string, locations: readonly ParameterLocation[] = ['body']): unknown {
  let value: unknown;
  for (const place of locations) {
    const parameters: unknown = place === 'body' ? request.body : request.query;
    if (typeof parameters !== 'object' || parameters === null || !Object.hasOwn(parameters, name)) continue;
    value = (parameters as Record<string, unknown>)[name];
    if (isSet(value)) break;
  }
  return value;
}

function readText(value: unknown, name: string, syntax: Syntax, Invalid: ErrorClass): string {
  const said = typeof value === 'number' ? String(value) : value;
  if (typeof said !== 'string' || !syntax(said)) throw new Invalid(`Invalid parameter: \`${name}\``);
  return said;
}

const isSet = (value: unknown) => value !== undefined && value !== null && value !== '';
