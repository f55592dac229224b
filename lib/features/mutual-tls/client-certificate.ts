import { hash, type X509Certificate } from 'node:crypto';
import { type BlockList, isIPv6 } from 'node:net';
import { shortText } from '../../events/events.js';
import type { Request } from '../../http/request.js';
import { blockList } from '../../http/safe-fetch/special-addresses.js';
import type { TlsProxy } from './options.js';
import { readCertificateHeader } from './proxy-header.js';

/** The certificate of a client, who has shown to have its key: TLS asks for that. RFC 8705 §2 */
export interface ClientCertificate {
  readonly x509: X509Certificate;
  /** Was its chain verified where TLS ends? */
  readonly isVerified: boolean;
}

/** The connection of a request, as far as it is asked here. */
interface Connection {
  remoteAddress?: string | undefined;
  authorized?: boolean;
  getPeerX509Certificate?(): X509Certificate | undefined;
}

interface NativeRequest {
  socket?: Connection;
  /** Of Fastify: the request of Node. */
  raw?: { socket?: Connection };
}

/** Finds the certificates that clients show: where TLS ends, here or at a proxy that is trusted. */
export class ClientCertificates {
  private readonly trusted: BlockList | undefined;

  constructor(private readonly proxy: TlsProxy | undefined) {
    this.trusted = proxy && blockList(proxy.trusted);
  }

  /** @returns why there is none, where there is none: for the operator */
  of(request: Request): ClientCertificate | string {
    const connection = connectionOf((request['native'] ?? request) as NativeRequest);
    // What a trusted proxy says is all there is: its own certificate is not the client's.
    if (this.proxy && this.isTrusted(connection?.remoteAddress)) return this.fromProxy(request, this.proxy);
    const x509 = connection?.getPeerX509Certificate?.();
    // Of a session that is resumed, Node says `authorized` though nobody has shown anything.
    if (x509) return { x509, isVerified: connection?.authorized === true };
    return `the client shows a certificate to this server, or to a trusted proxy, which ${connection?.remoteAddress ?? 'this connection'} is not`;
  }

  private isTrusted(address: string | undefined): boolean {
    if (address === undefined) return false;
    const [plain] = address.split('%', 1);
    return this.trusted!.check(plain!, isIPv6(plain!) ? 'ipv6' : 'ipv4');
  }

  private fromProxy(
    request: Request,
    { header = CLIENT_CERT, verified = false }: TlsProxy,
  ): ClientCertificate | string {
    const text: unknown = request.get(header);
    if (typeof text !== 'string' || text === '')
      return `the trusted proxy sends a certificate in the header \`${header}\``;
    const x509 = readCertificateHeader(header, text);
    if (typeof x509 === 'string') return `${x509}, and not ${shortText(text)}`;
    const isVerified = typeof verified === 'boolean' ? verified : request.get(verified.header) === verified.value;
    return { x509, isVerified };
  }
}

/** RFC 9440 §2.2 */
const CLIENT_CERT = 'client-cert';

const connectionOf = ({ socket, raw }: NativeRequest): Connection | undefined => socket ?? raw?.socket;

/** By what a token is bound to a certificate. RFC 8705 §3.1 */
export const certificateThumbprint = ({ x509 }: ClientCertificate): string => hash('sha256', x509.raw, 'base64url');
