import { type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect, type ConnectionOptions } from 'node:tls';

/** The response of a deployment. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The content, up to the maximum size. */
  readonly body: string;
  /** When the headers arrived, in milliseconds since the epoch. */
  readonly at: number;
}

/** The certificate and the TLS version of a deployment. */
export interface TlsFacts {
  /** Why the certificate is not trusted. `undefined` if it is. */
  readonly error: string | undefined;
  readonly validUntil: number;
  readonly acceptsOldVersion: boolean;
}

/** Milliseconds for which the examination waits for a connection or a response. */
const TIMEOUT = 5000;
const MAX_SIZE = 262_144;

/**
 * Sends one request and follows no redirect. The certificate is not verified, because a rule reports it. Returns
 * `undefined` if there is no response in time.
 */
export function send(
  url: URL,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Reply | undefined> {
  return new Promise((resolve) => {
    const transport = url.protocol === 'https:' ? requestHttps : requestHttp;
    const signal = AbortSignal.timeout(TIMEOUT);
    const options = { method, headers: { 'User-Agent': 'nest-oauth2-doctor', ...headers }, agent: false, signal };
    const request = transport(url, { ...options, rejectUnauthorized: false }, (response) => {
      const at = Date.now();
      const chunks: Buffer[] = [];
      let size = 0;
      const end = () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
          at,
        });
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > MAX_SIZE) response.destroy();
      });
      response.once('close', end);
      response.once('error', end);
    });
    request.once('error', () => resolve(undefined));
    request.end(body);
  });
}

/** Examines the certificate and the TLS versions of a host. `undefined` if no TLS connection is possible. */
export async function examineTls({ hostname, port }: URL): Promise<TlsFacts | undefined> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const target = { host, port: Number(port || 443), ...(/[a-z]/i.test(host) && { servername: host }) };
  const current = await handshake(target);
  if (!current) return undefined;
  // OpenSSL offers old versions only at the lowest security level.
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  return { ...current, acceptsOldVersion: (await handshake({ ...target, ...old })) !== undefined };
}

function handshake(options: ConnectionOptions): Promise<Pick<TlsFacts, 'error' | 'validUntil'> | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ ...options, rejectUnauthorized: false, timeout: TIMEOUT }, () => {
      const { valid_to: validTo } = socket.getPeerCertificate();
      const error = socket.authorized ? undefined : String(socket.authorizationError);
      resolve({ error, validUntil: Date.parse(validTo) });
      socket.destroy();
    });
    socket.once('error', () => resolve(undefined));
    socket.once('timeout', () => {
      resolve(undefined);
      socket.destroy();
    });
  });
}
