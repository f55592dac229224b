import type { ClientField } from '../../contracts/client-field.js';
import { InvalidClientMetadataError } from '../../errors/index.js';
import { isVSCHAR } from '../../http/syntax.js';
import { UNSAFE_TEXT } from '../../http/unsafe-text.js';

/** Client metadata before validation. */
export type UnverifiedMetadata = Readonly<Record<string, unknown>>;

const MAX_TEXT_LENGTH = 200;
export const MAX_URI_LENGTH = 2000;
const MAX_CONTACTS = 10;
/** Maximum number of members with a language tag. */
const MAX_TAGGED = 50;

/** Members of client metadata with URLs that users may open. They may have language tags. RFC 7591 §2.2 */
const LINKS = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri'];
const TAGGED = new RegExp(`^(client_name|${LINKS.join('|')})#([a-z]{2,8}(?:-[a-z\\d]{1,8}){0,8})$`, 'i');

/**
 * Matches a visible character. A name that consists of invisible characters would leave a sentence on a page without
 * its subject.
 */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\p{M}\u2800]/u;

/** Matches six combining marks in a row. They would cover the lines above, and no writing system needs them. */
const STACKED_MARKS = /\p{M}{6}/u;

/** Returns a member of client metadata. `undefined` if it is missing or `null`. */
export const memberOf = (metadata: UnverifiedMetadata, name: string): unknown =>
  Object.hasOwn(metadata, name) ? (metadata[name] ?? undefined) : undefined;

export const invalidMetadata = (what: string) => new InvalidClientMetadataError(`Invalid client metadata: ${what}`);

/**
 * Returns the error for a member of client metadata whose values the server does not support. It names the member, its
 * values and the supported values.
 */
export const unsupportedValue = (name: string, given: readonly unknown[], supported: readonly string[]) =>
  invalidMetadata(`\`${name}\` has no supported value. Got ${shown(given)}. Supported: ${shown(supported)}`);

/** Maximum length of a value in an error message. */
const MAX_SHOWN_LENGTH = 60;

const shown = (values: readonly unknown[]) =>
  values.map((value) => (isWord(value) ? `\`${value.slice(0, MAX_SHOWN_LENGTH)}\`` : 'an invalid value')).join(', ') ||
  'none';

/**
 * Reads a field of client metadata. Returns `undefined` if it is missing or `null`.
 * @throws {InvalidClientMetadataError} If the value is invalid. The message is the name of the field followed by
 * `problem`.
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

/** Whether a value is a string. */
export const isString = (value: unknown): value is string => typeof value === 'string';

/** Whether a value is `true` or `false`. */
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

/**
 * Reads a text of client metadata. Returns `undefined` if it is missing or `null`.
 * @param isValid Tests the text. By default, it must be visible, of at most 200 characters, and safe to show on a page.
 * @throws {InvalidClientMetadataError} If the value is not a text or is invalid.
 */
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

/** Whether a value is a non-empty text for programs: printable ASCII, at most 200 characters. */
export const isWord = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_TEXT_LENGTH && isVSCHAR(value);

/** Whether a value is an http or https URL without credentials, for links on pages. The server does not fetch it. */
export const isLink = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= MAX_URI_LENGTH &&
  /^https?:\/\/[\x21-\x7e]+$/i.test(value) &&
  URL.canParse(value) &&
  !hasCredentials(value);

/** Whether a URL contains a user name or password. Users could mistake them for the host. */
export const hasCredentials = (uri: string): boolean => {
  const { username, password } = new URL(uri);
  return username + password !== '';
};

/**
 * Reads a list of texts from client metadata. Returns its distinct values, or `undefined` if it is missing or `null`.
 * @throws {InvalidClientMetadataError} If a value is invalid, or if the list has more than `maximum` values.
 */
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
  throw invalidMetadata(`\`${name}\` must be a list of at most ${maximum} valid values`);
}

/**
 * Reads all members of client metadata that are shown to users: names, links and contacts.
 * @throws {InvalidClientMetadataError} If a member is invalid.
 */
export function readTexts(metadata: UnverifiedMetadata): Record<string, unknown> {
  const tagged = Object.keys(metadata).filter((name) => TAGGED.test(name));
  if (tagged.length > MAX_TAGGED) throw invalidMetadata('too many members have a language tag');
  const texts: Record<string, unknown> = { contacts: readList(metadata, 'contacts', isShowable, MAX_CONTACTS) };
  for (const name of ['client_name', ...LINKS, ...tagged]) {
    texts[name] = name.startsWith('client_name') ? readText(metadata, name) : readText(metadata, name, isLink);
  }
  return texts;
}
