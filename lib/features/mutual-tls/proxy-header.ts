import { X509Certificate } from 'node:crypto';

/** Characters of a header that are looked at: so much all headers together may have in Node. */
const MAX_LENGTH = 16_384;

const BASE64 = /^[A-Za-z\d+/]+={0,2}$/;

/**
 * The certificate in a header, as proxies write it: by RFC 9440, as PEM in the escapes of URLs (nginx, AWS), as base64 alone (HAProxy,
 * Traefik), or as `Cert` of Envoy's `x-forwarded-client-cert`.
 * @returns what is wrong with it, where it is none
 */
export function readCertificateHeader(name: string, text: string): X509Certificate | string {
  const what = `the header \`${name}\` is one certificate of ${MAX_LENGTH} characters at most`;
  if (text.length > MAX_LENGTH) return what;
  const der =
    name.toLowerCase() === ENVOY ? fromEnvoy(text) : text.startsWith(':') ? fromStructuredField(text) : fromText(text);
  try {
    return der === undefined ? what : new X509Certificate(der);
  } catch {
    return what;
  }
}

const fromBase64 = (text: string | undefined) =>
  text !== undefined && BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;

/** Bytes between colons. RFC 9440 §2.1, RFC 9651 §3.3.5 */
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

/** One element alone: of several, only the last one is by the proxy that is asked. */
function fromEnvoy(text: string): Buffer | undefined {
  let found: string | undefined;
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < text.length) {
    const [, key, quoted, bare] = PAIR.exec(text) ?? [];
    if (key === undefined) return undefined;
    if (key.toLowerCase() !== 'cert') continue;
    if (found !== undefined) return undefined;
    found = quoted ?? bare;
  }
  return found === undefined ? undefined : fromText(found);
}
