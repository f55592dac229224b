import type { ServerContext } from '../../contracts/feature.js';
import { isPublicUrl } from '../../http/public-url.js';
import { findFetchOptionsError, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { blockList } from '../../http/safe-fetch/special-addresses.js';
import { isObject } from '../../http/is-object.js';
import { findUnknownOption } from '../../options/unknown-option.js';

/** How a client can prove itself by a certificate. RFC 8705 §2 */
export type TlsClientAuthMethod = 'tls_client_auth' | 'self_signed_tls_client_auth';

/** What `mutualTls()` takes. */
export interface MutualTlsOptions {
  /** How clients may authenticate. Default: by both; an empty list: certificates only bind tokens. */
  methods?: readonly TlsClientAuthMethod[];
  /**
   * Whose access tokens are bound to the certificate that the client shows: those of clients with
   * `tlsClientCertificateBoundAccessTokens`, or of all. One that shows none is refused then. Default: `'registered'`
   */
  bind?: 'registered' | 'all';
  /** Who ends TLS in front of this server and says which certificate was shown. Default: nobody, what the connection says counts. */
  proxy?: TlsProxy;
  /**
   * The origin at which clients with certificates find what is at that of the issuer: `https://mtls.example.com`. Default: they are
   * asked for certificates where everybody is. RFC 8705 §5
   */
  endpointAliases?: string;
  /** How the keys at the `jwks_uri` of a client are fetched. Default: public addresses alone */
  fetch?: SafeFetchOptions;
}

/** A proxy that ends TLS. It must take the header off whatever clients send: it is believed. */
export interface TlsProxy {
  /** From which addresses it connects: `10.1.2.3`, `10.1.0.0/16`, `::1`. From any other, the header says nothing. */
  trusted: readonly string[];
  /** In which header it sends the certificate. Default: `client-cert`. RFC 9440 §2.2 */
  header?: string;
  /**
   * Which chains it has verified: all of them, or those of which another header says so: `{ header: 'ssl-client-verify', value:
   * 'SUCCESS' }`. `tls_client_auth` needs that. Default: false, none
   */
  verified?: boolean | { readonly header: string; readonly value: string };
}

const METHODS: readonly unknown[] = ['tls_client_auth', 'self_signed_tls_client_auth'];
const NAMES = { methods: true, bind: true, proxy: true, endpointAliases: true, fetch: true } as const;
const PROXY_NAMES = { trusted: true, header: true, verified: true } as const;
const NAME = '`mutualTls()`';

/** An option that cannot work, as a sentence. */
export const findOptionError = (options: MutualTlsOptions): string | undefined =>
  optionErrors(options).next().value ?? undefined;

function* optionErrors(options: MutualTlsOptions): Generator<string, undefined> {
  const misspelt = findUnknownOption(options, NAMES, NAME) ?? findFetchOptionsError(options.fetch);
  if (misspelt !== undefined) yield misspelt;
  const { methods = [], bind = 'all', proxy, endpointAliases } = options;
  if (!Array.isArray(methods) || !methods.every((one) => METHODS.includes(one))) {
    yield `\`methods\` of ${NAME} must be a list of ${METHODS.join(' and ')}`;
  }
  if (bind !== 'all' && bind !== 'registered') yield `\`bind\` of ${NAME} must be 'registered' or 'all'`;
  if (endpointAliases !== undefined && !(isPublicUrl(endpointAliases) && new URL(endpointAliases).pathname === '/')) {
    yield `\`endpointAliases\` of ${NAME} must be an https origin: \`${String(endpointAliases)}\` is none`;
  }
  if (proxy !== undefined && !isObject(proxy)) yield `\`proxy\` of ${NAME} must be an object`;
  if (proxy !== undefined) yield* proxyErrors(proxy);
  return undefined;
}

function* proxyErrors(proxy: TlsProxy): Generator<string> {
  const place = `\`proxy\` of ${NAME}`;
  const misspelt = findUnknownOption(proxy, PROXY_NAMES, place);
  if (misspelt !== undefined) yield misspelt;
  const { trusted, header = 'x', verified = false } = proxy as Partial<TlsProxy>;
  if (!Array.isArray(trusted) || trusted.length === 0) {
    yield `${place} needs \`trusted\`: a list of the addresses from which it connects`;
  }
  if (!isHeader(header)) yield `\`header\` of ${place} must be the name of a header`;
  const isSaid = isObject(verified) && isHeader(verified['header']) && typeof verified['value'] === 'string';
  if (typeof verified !== 'boolean' && !isSaid) {
    yield `\`verified\` of ${place} must be true, false, or the \`header\` and the \`value\` by which it says so`;
  }
  try {
    blockList(trusted as string[]);
  } catch (error) {
    yield `${(error as Error).message}, in \`trusted\` of ${place}`;
  }
}

const isHeader = (name: unknown) => typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name);

/** What is wrong with the server it stands in, as sentences. */
export function* configurationErrors(
  { endpointAliases }: MutualTlsOptions,
  { options }: ServerContext,
): Iterable<string> {
  if (endpointAliases !== undefined && options.issuer === undefined) {
    yield `\`endpointAliases\` of ${NAME} needs the option \`issuer\``;
  }
}
