import type { ServerContext } from '../../contracts/feature.js';
import { isPublicUrl } from '../../http/public-url.js';
import { findFetchOptionsError, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { blockList } from '../../http/safe-fetch/special-addresses.js';
import { isObject } from '../../http/is-object.js';
import { findUnknownOption } from '../../options/unknown-option.js';

/** A client authentication method that uses a TLS certificate. RFC 8705 §2 */
export type TlsClientAuthMethod = 'tls_client_auth' | 'self_signed_tls_client_auth';

/** The options of `mutualTls()`. */
export interface MutualTlsOptions {
  /**
   * The client authentication methods to support. If the list is empty, certificates are only used to bind tokens.
   * Default: both methods.
   */
  methods?: readonly TlsClientAuthMethod[];
  /**
   * Which access tokens are bound to the client's certificate. `registered`: those of clients with
   * `tlsClientCertificateBoundAccessTokens`. `all`: all tokens. A token request of such a client without a certificate
   * is rejected. Default: `'registered'`.
   */
  bind?: 'registered' | 'all';
  /**
   * The proxy that terminates TLS and sends the client certificate in a header. If omitted, the certificate of the
   * connection is used.
   */
  proxy?: TlsProxy;
  /**
   * The origin at which clients with certificates reach the endpoints of the issuer, such as
   * `https://mtls.example.com`. If omitted, they use the same URLs as all clients. RFC 8705 §5
   */
  endpointAliases?: string;
  /**
   * Options for fetching the keys at a client's `jwks_uri`. If omitted, keys are fetched from public addresses only.
   */
  fetch?: SafeFetchOptions;
}

/**
 * A proxy that terminates TLS. It must remove the certificate header from incoming requests, since the server trusts
 * it.
 */
export interface TlsProxy {
  /**
   * The addresses from which the proxy connects, such as `10.1.2.3`, `10.1.0.0/16` or `::1`. The header is ignored on
   * other connections.
   */
  trusted: readonly string[];
  /** The header in which the proxy sends the certificate. Default: `client-cert`. RFC 9440 §2.2 */
  header?: string;
  /**
   * Whether the proxy has verified the certificate chain, which `tls_client_auth` requires. Either a boolean for all
   * certificates, or a header that confirms it: `{ header: 'ssl-client-verify', value: 'SUCCESS' }`. Default: `false`.
   */
  verified?: boolean | { readonly header: string; readonly value: string };
}

const METHODS: readonly unknown[] = ['tls_client_auth', 'self_signed_tls_client_auth'];
const NAMES = { methods: true, bind: true, proxy: true, endpointAliases: true, fetch: true } as const;
const PROXY_NAMES = { trusted: true, header: true, verified: true } as const;
const NAME = '`mutualTls()`';

/** Returns the first configuration error in the options of `mutualTls()`, or `undefined`. */
export const findOptionError = (options: MutualTlsOptions): string | undefined =>
  optionErrors(options).next().value ?? undefined;

function* optionErrors(options: MutualTlsOptions): Generator<string, undefined> {
  const unknown = findUnknownOption(options, NAMES, NAME) ?? findFetchOptionsError(options.fetch);
  if (unknown !== undefined) yield unknown;
  const { methods = [], bind = 'all', proxy, endpointAliases } = options;
  if (!Array.isArray(methods) || !methods.every((one) => METHODS.includes(one))) {
    yield `\`methods\` of ${NAME} must be a list of ${METHODS.join(' and ')}`;
  }
  if (bind !== 'all' && bind !== 'registered') yield `\`bind\` of ${NAME} must be 'registered' or 'all'`;
  if (endpointAliases !== undefined && !(isPublicUrl(endpointAliases) && new URL(endpointAliases).pathname === '/')) {
    yield `\`endpointAliases\` of ${NAME} must be an https origin. Got \`${String(endpointAliases)}\``;
  }
  if (proxy !== undefined && !isObject(proxy)) yield `\`proxy\` of ${NAME} must be an object`;
  if (proxy !== undefined) yield* proxyErrors(proxy);
  return undefined;
}

function* proxyErrors(proxy: TlsProxy): Generator<string> {
  const option = `\`proxy\` of ${NAME}`;
  const unknown = findUnknownOption(proxy, PROXY_NAMES, option);
  if (unknown !== undefined) yield unknown;
  const { trusted, header = 'x', verified = false } = proxy as Partial<TlsProxy>;
  if (!Array.isArray(trusted) || trusted.length === 0) {
    yield `${option} requires \`trusted\`: a list of the addresses from which it connects`;
  }
  if (!isHeader(header)) yield `\`header\` of ${option} must be the name of a header`;
  const isCondition = isObject(verified) && isHeader(verified['header']) && typeof verified['value'] === 'string';
  if (typeof verified !== 'boolean' && !isCondition) {
    yield `\`verified\` of ${option} must be true, false, or an object with the \`header\` and the \`value\` that confirm it`;
  }
  try {
    blockList(trusted as string[]);
  } catch (error) {
    yield `Invalid \`trusted\` of ${option}: ${(error as Error).message}`;
  }
}

const isHeader = (name: unknown) => typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name);

/** Yields the configuration errors of `mutualTls()` that depend on the server options. */
export function* configurationErrors(
  { endpointAliases }: MutualTlsOptions,
  { options }: ServerContext,
): Iterable<string> {
  if (endpointAliases !== undefined && options.issuer === undefined) {
    yield `\`endpointAliases\` of ${NAME} requires the option \`issuer\``;
  }
}
