import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A certificate with its key, both as PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

const P256 = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
export const RSA = ['-newkey', 'rsa:2048'];

/**
 * Creates a self-signed certificate, valid for a month. It calls `openssl`, because Node can parse certificates but not
 * create them.
 */
export async function selfSigned(
  commonName: string,
  { hosts = [], key: kind = P256 }: { hosts?: readonly string[]; key?: readonly string[] } = {},
): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const names = hosts.length > 0 ? ['-addext', `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}`] : [];
    const rest = ['-nodes', '-days', '30', '-subj', `/CN=${commonName}`, '-keyout', key, '-out', cert];
    await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...names, ...rest]);
    return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
  } finally {
    await rm(folder, { recursive: true });
  }
}
