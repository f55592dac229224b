import { X509Certificate } from 'node:crypto';

/** Maximum length of the header in characters. Node.js limits all headers together to the same size. */
const MAX_LENGTH = 16_384;

const BASE64 = /^[A-Za-z\d+/]+={0,2}$/;

/**
 * Reads a certificate from the header of a proxy, or returns as text why it cannot. Supported forms are RFC 9440,
 * URL-encoded PEM (nginx, AWS), plain base64 (HAProxy, Traefik) and `Cert` in Envoy's `x-forwarded-client-cert`.
 */
export function readCertificateHeader(name: string, text: string): X509Certificate | string {
  const reason = `the header \`${name}\` does not contain exactly one certificate of at most ${MAX_LENGTH} characters`;
  if (text.length > MAX_LENGTH) return reason;
  const der =
    name.toLowerCase() === ENVOY ? fromEnvoy(text) : text.startsWith(':') ? fromStructuredField(text) : fromText(text);
  try {
    return der === undefined ? reason : new X509Certificate(der);
  } catch {
    return reason;
  }
}

const fromBase64 = (text: string | undefined) =>
  text !== undefined && BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;

/** Decodes a byte sequence: base64 between colons. `undefined` for any other text. RFC 9440 §2.1, RFC 9651 §3.3.5 */
const fromStructuredField = (text: string) => fromBase64(/^:([^:]+):$/.exec(text)?.[1]);

function fromText(text: string): Buffer | undefined {
  let plain: string;
  try {
    plain = decodeURIComponent(text).trim();
  } catch {
    return undefined;
  }
  const [, body = plain] = /^-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----$/.exec(plain) ?? [];
  return fromBase64(body.replaceAll(/\s/g, ''));
}

const ENVOY = 'x-forwarded-client-cert';
const PAIR = /([a-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^",;]*))(?:;|$)/iy;

/**
 * Decodes Envoy's header. `undefined` unless it has exactly one element, because only the last of several would be from
 * the trusted proxy.
 */
function fromEnvoy(text: string): Buffer | undefined {
  let certificate: string | undefined;
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < text.length) {
    const [, key, quoted, bare] = PAIR.exec(text) ?? [];
    if (key === undefined) return undefined;
    if (key.toLowerCase() !== 'cert') continue;
    if (certificate !== undefined) return undefined;
    certificate = quoted ?? bare;
  }
  return certificate === undefined ? undefined : fromText(certificate);
}
