import { withTimeout } from '../../remote/timeout.js';
import { readIssuerMetadata } from '../../remote/issuer-metadata.js';
import { MisconfiguredError } from '../../remote/misconfigured-error.js';
import { isSecureUrl } from '../../http/public-url.js';
import type { ClientSecretMethod, Settings } from './settings.js';

/** The introspection endpoint of the authorization server, and the client authentication method to use there. */
export interface IntrospectionAccess {
  endpoint: string;
  method: ClientSecretMethod;
}

/**
 * Finds the introspection endpoint, in the option `introspectionEndpoint` or in the metadata of the authorization
 * server. Concurrent calls share one request, and the result is kept until a request fails. RFC 8414 §3
 */
export class Discovery {
  private access: Promise<IntrospectionAccess> | undefined;

  constructor(private readonly settings: Settings) {}

  find(): Promise<IntrospectionAccess> {
    if (this.access) return this.access;
    const access = this.discover();
    this.access = access;
    access.catch(() => {
      if (this.access === access) this.forget();
    });
    return access;
  }

  /** Discards the result, because the endpoint may have moved. The next call of `find()` reads the metadata again. */
  forget(): void {
    this.access = undefined;
  }

  private async discover(): Promise<IntrospectionAccess> {
    const { issuer, introspectionEndpoint, credentials } = this.settings;
    if (introspectionEndpoint !== undefined) {
      return { endpoint: introspectionEndpoint, method: credentials.method ?? 'client_secret_basic' };
    }
    const { fetch } = this.settings;
    const metadata = (signal: AbortSignal) => readIssuerMetadata(issuer!, { fetch, signal });
    return this.readMetadata(await withTimeout(this.settings.timeout, `The metadata of ${issuer}`, metadata), issuer!);
  }

  private readMetadata(metadata: Readonly<Record<string, unknown>>, issuer: string): IntrospectionAccess {
    const { introspection_endpoint: endpoint } = metadata;
    if (!isSecureUrl(endpoint)) {
      throw new MisconfiguredError(
        `the metadata of ${issuer} contains no \`introspection_endpoint\` with an https URL`,
      );
    }
    return { endpoint, method: this.settings.credentials.method ?? supportedMethod(metadata) };
  }
}

/**
 * Returns a client authentication method that the authorization server supports, preferably `client_secret_basic`. If
 * the metadata lists no methods for introspection, those of the token endpoint apply. RFC 8414 §2
 * @throws {MisconfiguredError} If it does not support client secrets.
 */
function supportedMethod(metadata: Readonly<Record<string, unknown>>): ClientSecretMethod {
  const listed =
    metadata['introspection_endpoint_auth_methods_supported'] ?? metadata['token_endpoint_auth_methods_supported'];
  if (!Array.isArray(listed) || listed.includes('client_secret_basic')) return 'client_secret_basic';
  if (listed.includes('client_secret_post')) return 'client_secret_post';
  throw new MisconfiguredError('the authorization server does not accept client secrets at its introspection endpoint');
}
