import { isIP, SocketAddress } from 'node:net';
import { type Der, oidText, readValues, TAG } from './der.js';
import { comparableName, comparableSubject } from './distinguished-name.js';

/** Whom a certificate names, each as it is compared. */
export interface CertificateNames {
  readonly subjectDn: readonly string[];
  readonly sanDns: readonly string[];
  readonly sanUri: readonly string[];
  readonly sanIp: readonly string[];
  readonly sanEmail: readonly string[];
}

export type NameKind = keyof CertificateNames;

const ALTERNATIVES = '2.5.29.17';

/** The kinds of alternative names, by tag. RFC 5280 §4.2.1.6 */
const KINDS: Readonly<Record<number, Exclude<NameKind, 'subjectDn'>>> = {
  0x81: 'sanEmail',
  0x82: 'sanDns',
  0x86: 'sanUri',
  0x87: 'sanIp',
};

/**
 * Reads them from the certificate itself: what Node prints of it is for people, and has been mistaken for other names before
 * (CVE-2021-44532, CVE-2021-44533). RFC 5280 §4.1
 * @returns undefined for what OpenSSL forgives, and this does not
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
  // Serial number, algorithm, issuer, validity, subject.
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

/** A name as it is compared; undefined: it is none of its kind, and no certificate has it. RFC 8705 §2.1.2 */
export function comparableAs(kind: NameKind, name: string): string | undefined {
  return name === '' ? undefined : COMPARABLE[kind](name);
}

const COMPARABLE: Readonly<Record<NameKind, (name: string) => string | undefined>> = {
  subjectDn: comparableName,
  sanDns: (name) => (/^[\w.*-]+$/.test(name) ? name.toLowerCase() : undefined),
  sanUri: (name) => (/^[a-z][a-z\d+.-]*:[\x21-\x7e]+$/i.test(name) ? name : undefined),
  sanIp: (name) => (isIP(name) > 0 && !name.includes('%') ? normalAddress(name) : undefined),
  // Only the domain of an address is the same in any case. RFC 5280 §7.5
  sanEmail: (name) =>
    /^[\x21-\x7e]+@[\w.-]+$/.test(name) ? name.replace(/@[^@]*$/, (part) => part.toLowerCase()) : undefined,
};

/** Addresses are the same by their bytes, however they are written. RFC 5952 §8 */
const normalAddress = (address: string) =>
  new SocketAddress({ address, family: isIP(address) === 6 ? 'ipv6' : 'ipv4' }).address;

function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  return bytes.length === 16 ? bytes.toString('hex').match(/.{4}/g)!.join(':') : '';
}
