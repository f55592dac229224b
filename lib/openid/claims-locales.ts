import type { Parameters } from '../http/parameters.js';
import { listParameter } from './list-parameter.js';

/** The tag of a language: `fr-CA`, `ja-Hani-JP`. RFC 5646 §2.1 */
export const isLanguageTag = (text: unknown): text is string =>
  typeof text === 'string' && /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/i.test(text);

/** The parameter `claims_locales`; what is no tag is left out, as a language is that nobody speaks. OpenID Connect Core §5.2 */
export function readClaimsLocales(parameters: Parameters): readonly string[] | undefined {
  const locales = listParameter(parameters, 'claims_locales').filter(isLanguageTag);
  return locales.length > 0 ? locales : undefined;
}

/**
 * Is it a claim that is wanted, in one of these languages: `family_name#ja-Kana-JP`? One of `ja` is good for who asks for `ja-JP`, and
 * the other way round. OpenID Connect Core §5.2, RFC 4647 §3.3.1
 */
export function isTranslated(name: string, requested: ReadonlySet<string>, locales: readonly string[]): boolean {
  const [claim = '', tag, ...more] = name.split('#');
  if (!isLanguageTag(tag) || more.length > 0 || !requested.has(claim)) return false;
  return locales.some((locale) => matchesRange(tag, locale) || matchesRange(locale, tag));
}

const matchesRange = (tag: string, range: string) => `${tag}-`.toLowerCase().startsWith(`${range}-`.toLowerCase());
