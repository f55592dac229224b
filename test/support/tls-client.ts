import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { createServer, request, type RequestOptions, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';

import { CN, issue, type IssuedCertificate } from './certificates.js';

/** Whom everybody trusts here. */
export const authority = issue({ subject: [[[CN, 'Authority']]], isAuthority: true });

const local = issue({
  subject: [[[CN, 'localhost']]],
  names: [
    ['dns', 'localhost'],
    ['ip', Buffer.from([127, 0, 0, 1])],
  ],
  issuer: authority,
});

/** What a server on this machine is made with that asks for certificates, and lets everybody in. */
export const TLS_OPTIONS = {
  cert: local.cert,
  key: local.key,
  ca: [authority.cert],
  requestCert: true,
  rejectUnauthorized: false,
};

/** As `fetch()`, of a client that shows this certificate. */
export const fetchWith =
  (certificate?: IssuedCertificate, more: RequestOptions = {}) =>
  async (
    url: string | URL,
    { method = 'GET', headers, body }: { method?: string; headers?: object; body?: unknown } = {},
  ) => {
    const { cert, key } = certificate ?? {};
    const options = { method, agent: false, ca: authority.cert, ...(cert && { cert, key: key! }), ...more };
    const sentRequest = request(url, {
      headers: Object.fromEntries(new Headers(headers as Record<string, string> | undefined)),
      ...options,
    } as RequestOptions);
    sentRequest.end(body instanceof URLSearchParams ? body.toString() : body);
    const [response] = (await once(sentRequest, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    return new Response(text || null, {
      status: response.statusCode!,
      headers: response.headers as Record<string, string>,
    });
  };

/** A proxy that ends TLS, and says by these headers what certificate it was shown. */
export async function startTlsProxy(
  target: string,
  headersOf: (socket: TLSSocket) => Record<string, string>,
): Promise<{ url: string; server: Server }> {
  const server = createServer(TLS_OPTIONS, (incoming, outgoing) => {
    const headers = { ...incoming.headers, ...headersOf(incoming.socket as TLSSocket) };
    const forwarded = requestHttp(new URL(incoming.url!, target), { method: incoming.method!, headers }, (received) => {
      outgoing.writeHead(received.statusCode!, received.headers);
      received.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
