/** An ASN.1 value in DER encoding. X.690 §8.1 */
export interface Der {
  /** The identifier octet: class, form and tag number. */
  readonly tag: number;
  readonly content: Buffer;
  /** The whole encoding, including tag and length. */
  readonly whole: Buffer;
}

/** The tags that are used to read certificates. X.680 §8.6 */
export const TAG = { oid: 0x06, octets: 0x04, extensions: 0xa3, version: 0xa0 } as const;

/**
 * Reads the consecutive DER values in a sequence of bytes. The bytes must come from a certificate that OpenSSL has
 * parsed.
 * @throws {RangeError} If the encoding is invalid.
 */
export function readValues(bytes: Buffer): readonly Der[] {
  const values: Der[] = [];
  for (let at = 0; at < bytes.length;) {
    const value = readValue(bytes.subarray(at));
    values.push(value);
    at += value.whole.length;
  }
  return values;
}

function readValue(bytes: Buffer): Der {
  const [first, length] = [bytes.readUInt8(0), bytes.readUInt8(1)];
  // 0x80 would be an indefinite length, which DER does not allow. X.690 §10.1
  if (length === 0x80) throw new RangeError('Invalid DER encoding');
  // Tags of certificates have one byte.
  const more = length < 0x80 ? 0 : length - 0x80;
  const begin = 2 + more;
  const end = begin + (more === 0 ? length : bytes.readUIntBE(2, more));
  if ((first & 0x1f) === 0x1f || end > bytes.length) throw new RangeError('Invalid DER encoding');
  return { tag: first, content: bytes.subarray(begin, end), whole: bytes.subarray(0, end) };
}

/** Maximum length of an object identifier in bytes. The conversion to text takes more than linear time. */
const MAX_OID_LENGTH = 128;

/**
 * Returns an object identifier in dot notation, such as `2.5.4.3`. X.690 §8.19
 * @throws {RangeError} If the identifier is too long.
 */
export function oidText({ content }: Der): string {
  if (content.length > MAX_OID_LENGTH) throw new RangeError('The object identifier is too long');
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const byte of content) {
    arc = (arc << 7n) | BigInt(byte & 0x7f);
    if (byte >= 0x80) continue;
    // The first number encodes the first two arcs as `40 * first + second`, and the first arc is 0, 1 or 2.
    if (arcs.length === 0) arcs.push(arc < 80n ? arc / 40n : 2n);
    arcs.push(arcs.length === 1 ? arc - arcs[0]! * 40n : arc);
    arc = 0n;
  }
  return arcs.join('.');
}

/** The decoders of ASN.1 text types, by tag. X.680 §41 */
const TEXTS: Readonly<Record<number, (content: Buffer) => string>> = {
  0x0c: (content) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content),
  0x12: (content) => content.toString('latin1'),
  0x13: (content) => content.toString('latin1'),
  0x14: (content) => content.toString('latin1'),
  0x16: (content) => content.toString('latin1'),
  0x1a: (content) => content.toString('latin1'),
  0x1c: utf32,
  0x1e: (content) => Buffer.from(content).swap16().toString('utf16le'),
};

/** Returns the text of a value. `undefined` if the value is not a text or cannot be decoded. */
export function textOf({ tag, content }: Der): string | undefined {
  try {
    return TEXTS[tag]?.(content);
  } catch {
    return undefined;
  }
}

function utf32(content: Buffer): string {
  let text = '';
  for (let at = 0; at < content.length; at += 4) text += String.fromCodePoint(content.readUInt32BE(at));
  return text;
}
