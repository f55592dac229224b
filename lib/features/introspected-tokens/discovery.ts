import { withTimeout } from '../../remote/timeout.js';
import { readIssuerMetadata } from '../../remote/issuer-metadata.js';
import { MisconfiguredError } from '../../remote/misconfigured-error.js';
import { isSecureUrl } from '../../remote/option-readers.js';
import type { ClientSecretMethod, Settings } from './settings.js';

/** Where the authorization server is asked, and how a client proves itself there. */
export interface IntrospectionAccess {
  endpoint: string;
  method: ClientSecretMethod;
}

/** Finds where the authorization server is asked: once, again after a failure, and never twice at a time. RFC 8414 §3 */
export class Discovery {
  private access: Promise<IntrospectionAccess> | undefined;

  constructor(private readonly settings: Settings) {}

  find(): Promise<IntrospectionAccess> {
    if (this.access) return this.access;
    const found = this.discover();
    this.access = found;
    found.catch(() => {
      if (this.access === found) this.forget();
    });
    return found;
  }

  /** Looks again next time: the server may have moved. */
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
      throw new MisconfiguredError(`the metadata of ${issuer} names no \`introspection_endpoint\` by an https URL`);
    }
    return { endpoint, method: this.settings.credentials.method ?? supportedMethod(metadata) };
  }
}

/** Those of the token endpoint stand in where nothing is said of introspection. RFC 8414 §2 */
function supportedMethod(metadata: Readonly<Record<string, unknown>>): ClientSecretMethod {
  const listed =
    metadata['introspection_endpoint_auth_methods_supported'] ?? metadata['token_endpoint_auth_methods_supported'];
  if (!Array.isArray(listed) || listed.includes('client_secret_basic')) return 'client_secret_basic';
  if (listed.includes('client_secret_post')) return 'client_secret_post';
  throw new MisconfiguredError('the authorization server takes no client secrets at its introspection endpoint');
}
