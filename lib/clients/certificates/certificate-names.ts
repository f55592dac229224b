import { isIP, SocketAddress } from 'node:net';
import { type Der, oidText, readValues, TAG } from './der.js';
import { comparableName, comparableSubject } from './distinguished-name.js';

/** The names in a certificate, by kind of name. Each is normalized for comparison. */
export interface CertificateNames {
  readonly subjectDn: readonly string[];
  readonly sanDns: readonly string[];
  readonly sanUri: readonly string[];
  readonly sanIp: readonly string[];
  readonly sanEmail: readonly string[];
}

export type NameKind = keyof CertificateNames;

const ALTERNATIVES = '2.5.29.17';

/** The kinds of subject alternative names, by ASN.1 tag. RFC 5280 §4.2.1.6 */
const KINDS: Readonly<Record<number, Exclude<NameKind, 'subjectDn'>>> = {
  0x81: 'sanEmail',
  0x82: 'sanDns',
  0x86: 'sanUri',
  0x87: 'sanIp',
};

/**
 * Reads the names in a certificate from its DER encoding. The text form of Node.js is ambiguous, and led to confused
 * names before (CVE-2021-44532, CVE-2021-44533). RFC 5280 §4.1
 * @returns `undefined` if the encoding is invalid, even if OpenSSL accepted it.
 */
export function readCertificateNames(raw: Buffer): CertificateNames | undefined {
  try {
    return readNames(raw);
  } catch {
    return undefined;
  }
}

function readNames(raw: Buffer): CertificateNames {
  const [certificate] = readValues(raw);
  const [signed] = readValues(certificate!.content);
  const fields = readValues(signed!.content).filter(({ tag }) => tag !== TAG.version);
  // The first fields are serial number, algorithm, issuer, validity and subject.
  const names = { subjectDn: [comparableSubject(fields[4]!)], sanDns: [], sanUri: [], sanIp: [], sanEmail: [] };
  for (const { tag, content } of alternativesOf(fields)) {
    const kind = KINDS[tag];
    const text = kind === 'sanIp' ? addressText(content) : content.toString('latin1');
    const name = kind && comparableAs(kind, text);
    if (name !== undefined) (names[kind!] as string[]).push(name);
  }
  return names;
}

function alternativesOf(fields: readonly Der[]): readonly Der[] {
  const extensions = fields.find(({ tag }) => tag === TAG.extensions);
  if (!extensions) return [];
  const [list] = readValues(extensions.content);
  for (const extension of readValues(list!.content)) {
    const parts = readValues(extension.content);
    if (oidText(parts[0]!) === ALTERNATIVES) return readValues(readValues(parts.at(-1)!.content)[0]!.content);
  }
  return [];
}

/**
 * Returns the normalized form of a name for comparison. `undefined` if the name is not valid for its kind.
 * RFC 8705 §2.1.2
 */
export function comparableAs(kind: NameKind, name: string): string | undefined {
  return name === '' ? undefined : COMPARABLE[kind](name);
}

const COMPARABLE: Readonly<Record<NameKind, (name: string) => string | undefined>> = {
  subjectDn: comparableName,
  sanDns: (name) => (/^[\w.*-]+$/.test(name) ? name.toLowerCase() : undefined),
  sanUri: (name) => (/^[a-z][a-z\d+.-]*:[\x21-\x7e]+$/i.test(name) ? name : undefined),
  sanIp: (name) => (isIP(name) > 0 && !name.includes('%') ? normalAddress(name) : undefined),
  // Only the domain of an email address is case-insensitive. RFC 5280 §7.5
  sanEmail: (name) =>
    /^[\x21-\x7e]+@[\w.-]+$/.test(name) ? name.replace(/@[^@]*$/, (part) => part.toLowerCase()) : undefined,
};

/** Returns the canonical form of an IP address, because one address can be written in several ways. RFC 5952 §8 */
const normalAddress = (address: string) =>
  new SocketAddress({ address, family: isIP(address) === 6 ? 'ipv6' : 'ipv4' }).address;

function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  return bytes.length === 16 ? bytes.toString('hex').match(/.{4}/g)!.join(':') : '';
}
