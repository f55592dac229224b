import { isPublicUrl } from '../http/public-url.js';
import { assertConfig } from '../errors/configuration-error.js';

// Reads and validates the options of models that verify tokens by means of another server.

/**
 * Whether a URL uses https, or http on a loopback address, and contains neither credentials nor a fragment. Tokens,
 * secrets and keys are sent to it. RFC 7662 §4
 */
export const isSecureUrl = (url: unknown): url is string =>
  typeof url === 'string' && isPublicUrl(url.split('?', 1)[0]);

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
export const describeValue = (value: unknown) => (typeof value === 'string' ? `'${value}'` : typeof value);

/** Maximum delay of a timer, in seconds. */
const MAX_SECONDS = 2 ** 31 / 1000;

export function readSeconds(
  owner: string,
  name: string,
  given: unknown,
  { defaultValue, minimum = 0 }: { defaultValue: number; minimum?: number },
): number {
  const value = given ?? defaultValue;
  const isSeconds = typeof value === 'number' && value >= minimum && value < MAX_SECONDS;
  assertConfig(
    isSeconds,
    `\`${name}\` of ${owner} must be a number of seconds${minimum > 0 ? ' above 0' : ''}, less than 24 days`,
  );
  return value;
}

export function readCount(owner: string, name: string, given: unknown, defaultValue: number): number {
  const value = given ?? defaultValue;
  assertConfig(
    Number.isSafeInteger(value) && (value as number) > 0,
    `\`${name}\` of ${owner} must be a whole number above 0`,
  );
  return value as number;
}

/**
 * Reads the option `audience`: the resource identifiers of an API, as a list. If omitted, the list is empty, and tokens
 * for any resource are accepted. RFC 8707 §2
 * @throws {InvalidArgumentError} If the option is not a resource identifier or a non-empty list of them.
 */
export function readAudience(owner: string, audience: unknown): readonly string[] {
  const resources: unknown = typeof audience === 'string' ? [audience] : (audience ?? []);
  const isAudience =
    audience === undefined || (Array.isArray(resources) && resources.length > 0 && resources.every(isText));
  assertConfig(
    isAudience,
    `\`audience\` of ${owner} must be a resource identifier or a non-empty list of them. An empty list would accept every token`,
  );
  return resources as readonly string[];
}
