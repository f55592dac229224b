import { hash, type X509Certificate } from 'node:crypto';
import { type BlockList, isIPv6 } from 'node:net';
import { shortText } from '../../events/events.js';
import type { Request } from '../../http/request.js';
import { blockList } from '../../http/safe-fetch/special-addresses.js';
import type { TlsProxy } from './options.js';
import { readCertificateHeader } from './proxy-header.js';

/**
 * The client certificate of a request. The TLS handshake has proven that the client has its private key. RFC 8705 §2
 */
export interface ClientCertificate {
  readonly x509: X509Certificate;
  /** Whether the certificate chain was verified by the party that terminates TLS: this process or a proxy. */
  readonly isVerified: boolean;
}

/** The members of a TLS connection that are needed to read a client certificate. */
interface Connection {
  remoteAddress?: string | undefined;
  authorized?: boolean;
  getPeerX509Certificate?(): X509Certificate | undefined;
}

interface NativeRequest {
  socket?: Connection;
  /** The request of Node.js inside a request of Fastify. */
  raw?: { socket?: Connection };
}

/** Finds the client certificates of requests: in the TLS connection, or in a header of a trusted proxy. */
export class ClientCertificates {
  private readonly trusted: BlockList | undefined;

  constructor(private readonly proxy: TlsProxy | undefined) {
    this.trusted = proxy && blockList(proxy.trusted);
  }

  /** Returns the client certificate of a request, or a text that explains why it is missing. */
  of(request: Request): ClientCertificate | string {
    const connection = connectionOf((request['native'] ?? request) as NativeRequest);
    // On a connection from a trusted proxy, use only its header: the certificate of the connection belongs to the
    // proxy.
    if (this.proxy && this.isTrusted(connection?.remoteAddress)) return this.fromProxy(request, this.proxy);
    const x509 = connection?.getPeerX509Certificate?.();
    // For a resumed session, Node.js sets `authorized` even without a certificate.
    if (x509) return { x509, isVerified: connection?.authorized === true };
    return `no client certificate in the connection from ${connection?.remoteAddress ?? 'an unknown address'}, which is not a trusted proxy`;
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
      return `the trusted proxy sent no certificate in the header \`${header}\``;
    const x509 = readCertificateHeader(header, text);
    if (typeof x509 === 'string') return `${x509}. Got ${shortText(text)}`;
    const isVerified = typeof verified === 'boolean' ? verified : request.get(verified.header) === verified.value;
    return { x509, isVerified };
  }
}

/** The default header for client certificates. RFC 9440 §2.2 */
const CLIENT_CERT = 'client-cert';

const connectionOf = ({ socket, raw }: NativeRequest): Connection | undefined => socket ?? raw?.socket;

/** Returns the SHA-256 thumbprint of a certificate, by which tokens are bound to it. RFC 8705 §3.1 */
export const certificateThumbprint = ({ x509 }: ClientCertificate): string => hash('sha256', x509.raw, 'base64url');
