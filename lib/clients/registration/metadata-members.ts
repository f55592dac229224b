import type { ClientField } from '../../contracts/client-field.js';
import { InvalidClientMetadataError } from '../../errors/index.js';
import { isVSCHAR } from '../../http/syntax.js';
import { UNSHOWABLE } from '../../http/unshowable.js';

/** What a document says, whoever wrote it. */
export type Said = Readonly<Record<string, unknown>>;

const LONGEST_TEXT = 200;
export const LONGEST_URI = 2000;
const MOST_CONTACTS = 10;
/** In how many languages each text may come, all told. */
const MOST_TAGGED = 50;

/** Texts for people, which may come in several languages. RFC 7591 §2.2 */
const LINKS = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri'];
const TAGGED = new RegExp(`^(client_name|${LINKS.join('|')})#([a-z]{2,8}(?:-[a-z\\d]{1,8}){0,8})$`, 'i');

/** Something that is seen at all: a name of nothing but joiners and fillers leaves a sentence without its subject. */
const SEEN = /[^\s\p{Default_Ignorable_Code_Point}\p{M}\u2800]/u;

/** Marks piled up on a letter, over the lines above it: no writing has so many. */
const PILED = /\p{M}{6}/u;

/** A member that is said; null is not. */
export const given = (said: Said, name: string): unknown =>
  Object.hasOwn(said, name) ? (said[name] ?? undefined) : undefined;

export const invalid = (what: string) => new InvalidClientMetadataError(`Invalid client metadata: ${what}`);

/**
 * Reads the value of a field, if client metadata contain one.
 * @throws {InvalidClientMetadataError} If the value is invalid. The message is the name of the field and `fault`.
 */
export function readField<T>(said: Said, field: ClientField<string, T>, fault = 'is not valid'): T | undefined {
  const value = given(said, field.name);
  if (value === undefined || field.isValid(value, undefined)) return value;
  throw invalid(`\`${field.name}\` ${fault}`);
}

/** Whether a value is a text. */
export const isString = (value: unknown): value is string => typeof value === 'string';

/** Whether a value is true or false. */
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

/** A text for people. */
export function text(said: Said, name: string, isGood = isShowable): string | undefined {
  const value = given(said, name);
  if (value === undefined) return undefined;
  if (typeof value === 'string' && isGood(value)) return value;
  throw invalid(`\`${name}\` is not valid`);
}

const isShowable = (value: string) =>
  value.length <= LONGEST_TEXT &&
  value.isWellFormed() &&
  SEEN.test(value) &&
  !UNSHOWABLE.test(value) &&
  !PILED.test(value);

/** A word for programs. */
export const isWord = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= LONGEST_TEXT && isVSCHAR(value);

/** The address of a page: nothing fetches it here, and nothing but a page may be behind it. */
export const isLink = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= LONGEST_URI &&
  /^https?:\/\/[\x21-\x7e]+$/i.test(value) &&
  URL.canParse(value) &&
  !hasCredentials(value);

/** Who is named before the host of a URL is mistaken for the host. */
export const hasCredentials = (uri: string): boolean => {
  const { username, password } = new URL(uri);
  return username + password !== '';
};

/** A list of texts. */
export function list(said: Said, name: string, isGood: (value: string) => boolean, most: number): string[] | undefined {
  const value = given(said, name);
  if (value === undefined) return undefined;
  const isList =
    Array.isArray(value) && value.length <= most && value.every((one) => typeof one === 'string' && isGood(one));
  if (isList) return [...new Set(value as string[])];
  throw invalid(`\`${name}\` must be a list of valid values, ${most} at most`);
}

/** All that is for people: names, links and contacts. */
export function readTexts(said: Said): Record<string, unknown> {
  const tagged = Object.keys(said).filter((name) => TAGGED.test(name));
  if (tagged.length > MOST_TAGGED) throw invalid('it comes in too many languages');
  const texts: Record<string, unknown> = { contacts: list(said, 'contacts', isShowable, MOST_CONTACTS) };
  for (const name of ['client_name', ...LINKS, ...tagged]) {
    texts[name] = name.startsWith('client_name') ? text(said, name) : text(said, name, isLink);
  }
  return texts;
}
