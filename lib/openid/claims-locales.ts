import type { Parameters } from '../http/parameters.js';
import { listParameter } from './list-parameter.js';

/** Whether a value is a language tag, such as `fr-CA` or `ja-Hani-JP`. RFC 5646 §2.1 */
export const isLanguageTag = (text: unknown): text is string =>
  typeof text === 'string' && /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/i.test(text);

/** Reads the parameter `claims_locales`. Invalid language tags are ignored. OpenID Connect Core §5.2 */
export function readClaimsLocales(parameters: Parameters): readonly string[] | undefined {
  const locales = listParameter(parameters, 'claims_locales').filter(isLanguageTag);
  return locales.length > 0 ? locales : undefined;
}

/**
 * Whether a claim name such as `family_name#ja-Kana-JP` is a translation of a requested claim into one of these
 * languages. `ja` and `ja-JP` match each other. OpenID Connect Core §5.2, RFC 4647 §3.3.1
 */
export function isTranslated(name: string, requested: ReadonlySet<string>, locales: readonly string[]): boolean {
  const [claim = '', tag, ...rest] = name.split('#');
  if (!isLanguageTag(tag) || rest.length > 0 || !requested.has(claim)) return false;
  return locales.some((locale) => matchesRange(tag, locale) || matchesRange(locale, tag));
}

const matchesRange = (tag: string, range: string) => `${tag}-`.toLowerCase().startsWith(`${range}-`.toLowerCase());
