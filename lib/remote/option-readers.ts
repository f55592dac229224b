import { isPublicUrl } from '../http/public-url.js';
import { assertConfig } from '../errors/configuration-error.js';

// What a host may get wrong in the options of a model that stands on another server, as sentences that begin with its name.

/** Tokens, secrets and keys travel there: not in the clear, unless they stay on this machine. RFC 7662 §4 */
export const isSecureUrl = (url: unknown): url is string =>
  typeof url === 'string' && isPublicUrl(url.split('?', 1)[0]);

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
export const describeValue = (value: unknown) => (typeof value === 'string' ? `'${value}'` : typeof value);

/** What a timer can count. */
const MAX_SECONDS = 2 ** 31 / 1000;

export function readSeconds(
  owner: string,
  name: string,
  given: unknown,
  { usual, least = 0 }: { usual: number; least?: number },
): number {
  const value = given ?? usual;
  const isSeconds = typeof value === 'number' && value >= least && value < MAX_SECONDS;
  assertConfig(
    isSeconds,
    `${owner} takes as \`${name}\` a number of seconds${least > 0 ? ' above 0' : ''}, less than 24 days`,
  );
  return value;
}

export function readCount(owner: string, name: string, given: unknown, defaultValue: number): number {
  const value = given ?? defaultValue;
  assertConfig(
    Number.isSafeInteger(value) && (value as number) > 0,
    `${owner} takes as \`${name}\` a whole number above 0`,
  );
  return value as number;
}

/** The resources that an API is; none: a token may be for anything. RFC 8707 §2 */
export function readAudience(owner: string, audience: unknown): readonly string[] {
  const resources: unknown = typeof audience === 'string' ? [audience] : (audience ?? []);
  const isAudience =
    audience === undefined || (Array.isArray(resources) && resources.length > 0 && resources.every(isText));
  assertConfig(
    isAudience,
    `${owner} takes as \`audience\` a resource identifier, or a list of them: an empty one would let in any token`,
  );
  return resources as readonly string[];
}
