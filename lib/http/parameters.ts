import { InvalidRequestError, type OAuthError } from '../errors.js';
import type { Request } from './request.js';
import type { Syntax } from './syntax.js';

type ErrorClass = new (message: string) => OAuthError;

/** Where a parameter is looked for: the first place that has it. */
export type Place = 'body' | 'query';

/** Where the parameters of an authorization request are: in its form, or in its URL. RFC 6749 §3.1 */
export const FORM_OR_URL: readonly Place[] = ['body', 'query'];

/** Reads a parameter; one sent without a value counts as left out. RFC 6749 §3.1 */
export function optional(
  request: Request,
  name: string,
  syntax: Syntax,
  places: readonly Place[] = ['body'],
  Invalid: ErrorClass = InvalidRequestError,
): string | undefined {
  let value: unknown;
  for (const place of places) {
    const parameters: unknown = place === 'body' ? request.body : request.query;
    if (typeof parameters !== 'object' || parameters === null || !Object.hasOwn(parameters, name)) continue;
    value = (parameters as Record<string, unknown>)[name];
    if (isGiven(value)) break;
  }
  if (!isGiven(value)) return undefined;
  if (Array.isArray(value)) throw new InvalidRequestError(`Repeated parameter: \`${name}\``);
  if (typeof value === 'number') value = String(value);
  if (typeof value !== 'string' || !syntax(value)) throw new Invalid(`Invalid parameter: \`${name}\``);
  return value;
}

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';

/** Reads a parameter that must be there. */
export function required(request: Request, name: string, syntax: Syntax, places?: readonly Place[]): string {
  const value = optional(request, name, syntax, places);
  if (value === undefined) throw new InvalidRequestError(`Missing parameter: \`${name}\``);
  return value;
}
