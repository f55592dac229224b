import { type Der, oidText, readValues, textOf } from './der.js';

/** Object identifiers of attribute types, by short name: those of RFC 4514 §3, and others that certificates contain. */
const TYPES: Readonly<Record<string, string>> = {
  cn: '2.5.4.3',
  sn: '2.5.4.4',
  serialnumber: '2.5.4.5',
  c: '2.5.4.6',
  l: '2.5.4.7',
  st: '2.5.4.8',
  street: '2.5.4.9',
  o: '2.5.4.10',
  ou: '2.5.4.11',
  title: '2.5.4.12',
  businesscategory: '2.5.4.15',
  postalcode: '2.5.4.17',
  name: '2.5.4.41',
  givenname: '2.5.4.42',
  gn: '2.5.4.42',
  initials: '2.5.4.43',
  dnqualifier: '2.5.4.46',
  pseudonym: '2.5.4.65',
  organizationidentifier: '2.5.4.97',
  uid: '0.9.2342.19200300.100.1.1',
  dc: '0.9.2342.19200300.100.1.25',
  emailaddress: '1.2.840.113549.1.9.1',
  jurisdictionl: '1.3.6.1.4.1.311.60.2.1.1',
  jurisdictionst: '1.3.6.1.4.1.311.60.2.1.2',
  jurisdictionc: '1.3.6.1.4.1.311.60.2.1.3',
};

const MAX_LENGTH = 2000;

/**
 * Matches an attribute type and its value, as hexadecimal bytes or as escaped text, up to the next separator.
 * RFC 4514 §3
 */
const ATTRIBUTE =
  / *([a-z][a-z\d-]*|\d+(?:\.\d+)+) *= *(?:#((?:[\da-f]{2})+) *|(?![# ])((?:[^"+,;<>\\\0]|\\(?:[\\"+,;<> #=]|[\da-f]{2}))*))([+,]|$)/iy;

/**
 * Returns the normalized form of a distinguished name for comparison. Case, the number of spaces and the order within a
 * relative distinguished name (RDN) do not matter. The order of the RDNs does. RFC 5280 §7.1
 * @param text The name in the notation of RFC 4514, last RDN first.
 * @returns `undefined` if the name is invalid or empty.
 */
export function comparableName(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const name: string[][] = [[]];
  ATTRIBUTE.lastIndex = 0;
  for (;;) {
    const [, type = '', bytes, written = '', separator] = ATTRIBUTE.exec(text) ?? [];
    const oid = /^\d/.test(type) ? type : Object.hasOwn(TYPES, type.toLowerCase()) && TYPES[type.toLowerCase()];
    const value = bytes === undefined ? readText(written) : readBytes(bytes);
    if (!oid || separator === undefined || value === undefined) return undefined;
    name.at(-1)!.push(`${oid}=${value}`);
    if (separator === '') return comparable(name.toReversed());
    if (separator === ',') name.push([]);
  }
}

/**
 * Returns the normalized form of the subject name in a certificate. It equals the result of `comparableName()` for the
 * same name. RFC 5280 §4.1.2.4
 */
export function comparableSubject({ content }: Der): string {
  const name = readValues(content).map((rdn) =>
    readValues(rdn.content).map((attribute) => {
      const [type, value] = readValues(attribute.content);
      return `${oidText(type!)}=${comparableValue(value!)}`;
    }),
  );
  return comparable(name);
}

const comparable = (name: readonly string[][]) => JSON.stringify(name.map((rdn) => rdn.toSorted()));

/** Returns the normalized form of an attribute value. A value that is not a text is compared byte by byte. */
function comparableValue(value: Der): string {
  const text = textOf(value);
  return text === undefined ? `#${value.whole.toString('hex')}` : `"${prepared(text)}`;
}

/**
 * Normalizes a text for comparison as in RFC 4518 §2. Unlike there, invisible characters are not removed: names that
 * differ in them are different.
 */
const prepared = (text: string) => text.normalize('NFKC').toLowerCase().trim().replaceAll(/\s+/g, ' ');

function readText(written: string): string | undefined {
  try {
    const text = written.replaceAll(/(?:\\[\da-f]{2})+|\\(.)/gi, (escaped, character?: string) =>
      character === undefined ? utf8(escaped.replaceAll('\\', '')) : character,
    );
    return text === '' ? undefined : `"${prepared(text)}`;
  } catch {
    return undefined;
  }
}

const utf8 = (hex: string) =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(hex, 'hex'));

function readBytes(hex: string): string | undefined {
  try {
    const [value, ...more] = readValues(Buffer.from(hex, 'hex'));
    return value && more.length === 0 ? comparableValue(value) : undefined;
  } catch {
    return undefined;
  }
}
