import type { ServerContext } from '../../contracts/feature.js';
import { isPublicUrl } from '../../http/public-url.js';
import type { SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { blockList } from '../../http/safe-fetch/special-addresses.js';
import { isObject } from '../../http/is-object.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { accepts, acceptsOptions, FETCH, isListOf, oneOfTexts } from '../../options/value-checks.js';

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
const NAME = '`mutualTls()`';

const isHeader = (name: unknown) => typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name);
const isCondition = (value: unknown) =>
  isObject(value) && isHeader(value['header']) && typeof value['value'] === 'string';

const PROXY_OPTIONS = optionTable(`\`proxy\` of ${NAME}`, {
  trusted: {
    check: findTrustedError,
    required: 'a list of the addresses from which it connects',
  },
  header: { check: accepts('the name of a header', isHeader) },
  verified: {
    check: accepts(
      'true, false, or an object with the `header` and the `value` that confirm it',
      (value) => typeof value === 'boolean' || isCondition(value),
    ),
  },
} satisfies OptionRows<TlsProxy>);

const OPTIONS = optionTable(NAME, {
  fetch: { check: FETCH },
  methods: {
    check: accepts(`a list of ${METHODS.join(' and ')}`, (value) => isListOf(value, (one) => METHODS.includes(one))),
  },
  bind: { check: oneOfTexts('registered', 'all') },
  endpointAliases: {
    check: accepts('an https origin', (value) => isPublicUrl(value) && new URL(value as string).pathname === '/'),
  },
  proxy: { check: acceptsOptions<TlsProxy>(PROXY_OPTIONS) },
} satisfies OptionRows<MutualTlsOptions>);

/** Returns the first configuration error in the options of `mutualTls()`, or `undefined`. */
export function findOptionError(options: MutualTlsOptions): string | undefined {
  const [error] = OPTIONS.findErrors(options);
  return error;
}

/** Returns the configuration error for the addresses of a proxy. `undefined` if they are valid. */
function findTrustedError(trusted: unknown, name: string, owner: string): string | undefined {
  if (!Array.isArray(trusted) || trusted.length === 0) {
    return `${owner} requires \`${name}\`: a list of the addresses from which it connects`;
  }
  try {
    blockList(trusted as string[]);
    return undefined;
  } catch (error) {
    return `Invalid \`${name}\` of ${owner}: ${(error as Error).message}`;
  }
}

/** Yields the configuration errors of `mutualTls()` that depend on the server options. */
export function* configurationErrors(
  { endpointAliases }: MutualTlsOptions,
  { options }: ServerContext,
): Iterable<string> {
  if (endpointAliases !== undefined && options.issuer === undefined) {
    yield `\`endpointAliases\` of ${NAME} requires the option \`issuer\``;
  }
}
