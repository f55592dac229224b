import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { createServer, request, type RequestOptions, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';

import { CN, issue, type IssuedCertificate } from '../keys/certificates.js';

/** The certificate authority that the test servers and clients trust. */
export const authority = issue({ subject: [[[CN, 'Authority']]], isAuthority: true });

const local = issue({
  subject: [[[CN, 'localhost']]],
  names: [
    ['dns', 'localhost'],
    ['ip', Buffer.from([127, 0, 0, 1])],
  ],
  issuer: authority,
});

/**
 * TLS options of a local server that requests a client certificate and accepts connections with any certificate or
 * none.
 */
export const TLS_OPTIONS = {
  cert: local.cert,
  key: local.key,
  ca: [authority.cert],
  requestCert: true,
  rejectUnauthorized: false,
};

/** Returns a function like `fetch()` that presents this client certificate. */
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

/** Starts a proxy that terminates TLS and forwards the client certificate in the headers that `headersOf` returns. */
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
