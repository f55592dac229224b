import { generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';

// Node.js cannot issue certificates, so this file encodes them as DER. X.690, RFC 5280 §4.1

const DAY = 86_400_000;

/** An attribute of a distinguished name: its OID, its value, and the ASN.1 tag of the value. Default tag: `UTF8`. */
export type Attribute = readonly [type: string, value: string | Buffer, tag?: number];

/** The contents of a certificate that `issue()` creates. */
export interface CertificateOptions {
  /**
   * The relative distinguished names of the subject, in encoding order. Each has one or more attributes. Default: none.
   */
  subject?: readonly (readonly Attribute[])[];
  /** The subject alternative names, for example `['dns', 'client.example']`. */
  names?: readonly (readonly ['dns' | 'uri' | 'email' | 'ip', string | Buffer])[];
  /** The certificate of the authority that signs. If omitted, the certificate is self-signed. */
  issuer?: IssuedCertificate;
  isAuthority?: boolean;
  /** The validity period: start (`from`) and end (`to`), in days relative to now. Default: `-1` and `1`. */
  from?: number;
  to?: number;
  /** The key pair of the certificate. If omitted, a new P-256 key pair is generated. */
  keys?: { privateKey: KeyObject; publicKey: KeyObject };
}

/** A certificate and its private key, as PEM strings for `node:tls` and as Node.js objects. */
export interface IssuedCertificate {
  cert: string;
  key: string;
  x509: X509Certificate;
  name: Buffer;
  privateKey: KeyObject;
}

export const CN = '2.5.4.3';
export const O = '2.5.4.10';
export const OU = '2.5.4.11';
export const C = '2.5.4.6';
export const UTF8 = 0x0c;

const der = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  const size = content.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const sequence = (...contents: readonly Uint8Array[]) => der(0x30, ...contents);
const set = (...contents: readonly Buffer[]) => der(0x31, ...contents.toSorted((a, b) => Buffer.compare(a, b)));

function oid(text: string): Buffer {
  const [first, second, ...more] = text.split('.').map(BigInt);
  const bytes = [first! * 40n + second!, ...more].flatMap((arc) => {
    const digits = [Number(arc & 0x7fn)];
    for (let rest = arc >> 7n; rest > 0n; rest >>= 7n) digits.unshift(Number(rest & 0x7fn) | 0x80);
    return digits;
  });
  return der(0x06, Buffer.from(bytes));
}

const nameOf = (subject: NonNullable<CertificateOptions['subject']>) =>
  sequence(
    ...subject.map((rdn) =>
      set(...rdn.map(([type, value, tag = UTF8]) => sequence(oid(type), der(tag, Buffer.from(value as string))))),
    ),
  );

const time = (days: number) =>
  der(0x18, Buffer.from(new Date(Date.now() + days * DAY).toISOString().replaceAll(/[-:T]|\.\d+/g, '')));

const TAGS = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 };

function extensionsOf({ names = [], isAuthority = false }: CertificateOptions): Buffer[] {
  const extensions = [
    ...(isAuthority
      ? [
          sequence(
            oid('2.5.29.19'),
            der(0x01, Buffer.from([0xff])),
            der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
          ),
        ]
      : []),
    ...(names.length > 0
      ? [
          sequence(
            oid('2.5.29.17'),
            der(0x04, sequence(...names.map(([kind, value]) => der(TAGS[kind], Buffer.from(value as string))))),
          ),
        ]
      : []),
  ];
  return extensions.length > 0 ? [der(0xa3, sequence(...extensions))] : [];
}

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));

/** Issues an X.509 certificate, signed with ECDSA and SHA-256. */
export function issue(options: CertificateOptions = {}): IssuedCertificate {
  const { subject = [], issuer: by, from = -1, to = 1 } = options;
  const { privateKey, publicKey } = options.keys ?? generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = nameOf(subject);
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), randomBytes(8)),
    ECDSA_WITH_SHA256,
    by?.name ?? name,
    sequence(time(from), time(to)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    ...extensionsOf(options),
  );
  const signature = sign('sha256', signed, by?.privateKey ?? privateKey);
  const x509 = new X509Certificate(sequence(signed, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature)));
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  return { cert: x509.toString(), key, x509, name, privateKey };
}
