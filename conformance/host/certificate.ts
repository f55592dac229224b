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

/** A certificate that signs itself, good for a month: Node can read those and makes none, so `openssl` does. */
export async function selfSigned(commonName: string, hosts: readonly string[] = []): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const names = hosts.length > 0 ? ['-addext', `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}`] : [];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'];
    const files = ['-keyout', key, '-out', cert];
    await promisify(execFile)('openssl', ['req', '-x509', ...kind, '-subj', `/CN=${commonName}`, ...names, ...files]);
    return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
  } finally {
    await rm(folder, { recursive: true });
  }
}
