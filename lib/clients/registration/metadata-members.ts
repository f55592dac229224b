import type { ClientField } from '../../contracts/client-field.js';
import { InvalidClientMetadataError } from '../../errors/index.js';
import { isVSCHAR } from '../../http/syntax.js';
import { UNSAFE_TEXT } from '../../http/unsafe-text.js';

/** What a document says, whoever wrote it. */
export type UnverifiedMetadata = Readonly<Record<string, unknown>>;

const MAX_TEXT_LENGTH = 200;
export const MAX_URI_LENGTH = 2000;
const MAX_CONTACTS = 10;
/** In how many languages each text may come, all told. */
const MAX_TAGGED = 50;

/** Texts for people, which may come in several languages. RFC 7591 §2.2 */
const LINKS = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri'];
const TAGGED = new RegExp(`^(client_name|${LINKS.join('|')})#([a-z]{2,8}(?:-[a-z\\d]{1,8}){0,8})$`, 'i');

/** Something that is seen at all: a name of nothing but joiners and fillers leaves a sentence without its subject. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\p{M}\u2800]/u;

/** Marks piled up on a letter, over the lines above it: no writing has so many. */
const STACKED_MARKS = /\p{M}{6}/u;

/** A member that is said; null is not. */
export const memberOf = (metadata: UnverifiedMetadata, name: string): unknown =>
  Object.hasOwn(metadata, name) ? (metadata[name] ?? undefined) : undefined;

export const invalidMetadata = (what: string) => new InvalidClientMetadataError(`Invalid client metadata: ${what}`);

/**
 * Reads the value of a field, if client metadata contain one.
 * @throws {InvalidClientMetadataError} If the value is invalid. The message is the name of the field and `fault`.
 */
export function readField<T>(
  metadata: UnverifiedMetadata,
  field: ClientField<string, T>,
  problem = 'is not valid',
): T | undefined {
  const value = memberOf(metadata, field.name);
  if (value === undefined || field.isValid(value, undefined)) return value;
  throw invalidMetadata(`\`${field.name}\` ${problem}`);
}

/** Whether a value is a text. */
export const isString = (value: unknown): value is string => typeof value === 'string';

/** Whether a value is true or false. */
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

/** A text for people. */
export function readText(metadata: UnverifiedMetadata, name: string, isValid = isShowable): string | undefined {
  const value = memberOf(metadata, name);
  if (value === undefined) return undefined;
  if (typeof value === 'string' && isValid(value)) return value;
  throw invalidMetadata(`\`${name}\` is not valid`);
}

const isShowable = (value: string) =>
  value.length <= MAX_TEXT_LENGTH &&
  value.isWellFormed() &&
  VISIBLE.test(value) &&
  !UNSAFE_TEXT.test(value) &&
  !STACKED_MARKS.test(value);

/** A word for programs. */
export const isWord = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_TEXT_LENGTH && isVSCHAR(value);

/** The address of a page: nothing fetches it here, and nothing but a page may be behind it. */
export const isLink = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= MAX_URI_LENGTH &&
  /^https?:\/\/[\x21-\x7e]+$/i.test(value) &&
  URL.canParse(value) &&
  !hasCredentials(value);

/** Who is named before the host of a URL is mistaken for the host. */
export const hasCredentials = (uri: string): boolean => {
  const { username, password } = new URL(uri);
  return username + password !== '';
};

/** A list of texts. */
export function readList(
  metadata: UnverifiedMetadata,
  name: string,
  isValid: (value: string) => boolean,
  maximum: number,
): string[] | undefined {
  const value = memberOf(metadata, name);
  if (value === undefined) return undefined;
  const isList =
    Array.isArray(value) && value.length <= maximum && value.every((one) => typeof one === 'string' && isValid(one));
  if (isList) return [...new Set(value as string[])];
  throw invalidMetadata(`\`${name}\` must be a list of valid values, ${maximum} at most`);
}

/** All that is for people: names, links and contacts. */
export function readTexts(metadata: UnverifiedMetadata): Record<string, unknown> {
  const tagged = Object.keys(metadata).filter((name) => TAGGED.test(name));
  if (tagged.length > MAX_TAGGED) throw invalidMetadata('it comes in too many languages');
  const texts: Record<string, unknown> = { contacts: readList(metadata, 'contacts', isShowable, MAX_CONTACTS) };
  for (const name of ['client_name', ...LINKS, ...tagged]) {
    texts[name] = name.startsWith('client_name') ? readText(metadata, name) : readText(metadata, name, isLink);
  }
  return texts;
}
