import { within } from '../../remote/deadline.js';
import { issuerMetadata } from '../../remote/issuer-metadata.js';
import { MisconfiguredError } from '../../remote/misconfigured-error.js';
import { isSecure } from '../../remote/checks.js';
import type { ClientSecretMethod, Settings } from './settings.js';

/** Where the authorization server is asked, and how a client proves itself there. */
export interface IntrospectionPlace {
  endpoint: string;
  method: ClientSecretMethod;
}

/** Finds where the authorization server is asked: once, again after a failure, and never twice at a time. RFC 8414 §3 */
export class Discovery {
  private found: Promise<IntrospectionPlace> | undefined;

  constructor(private readonly settings: Settings) {}

  find(): Promise<IntrospectionPlace> {
    if (this.found) return this.found;
    const found = this.look();
    this.found = found;
    found.catch(() => {
      if (this.found === found) this.forget();
    });
    return found;
  }

  /** Looks again next time: the server may have moved. */
  forget(): void {
    this.found = undefined;
  }

  private async look(): Promise<IntrospectionPlace> {
    const { issuer, introspectionEndpoint, credentials } = this.settings;
    if (introspectionEndpoint !== undefined) {
      return { endpoint: introspectionEndpoint, method: credentials.method ?? 'client_secret_basic' };
    }
    const { fetch } = this.settings;
    const metadata = (signal: AbortSignal) => issuerMetadata(issuer!, { fetch, signal });
    return this.placeOf(await within(this.settings.timeout, `The metadata of ${issuer}`, metadata), issuer!);
  }

  private placeOf(metadata: Readonly<Record<string, unknown>>, issuer: string): IntrospectionPlace {
    const { introspection_endpoint: endpoint } = metadata;
    if (!isSecure(endpoint)) {
      throw new MisconfiguredError(`the metadata of ${issuer} names no \`introspection_endpoint\` by an https URL`);
    }
    return { endpoint, method: this.settings.credentials.method ?? methodOf(metadata) };
  }
}

/** Those of the token endpoint stand in where nothing is said of introspection. RFC 8414 §2 */
function methodOf(metadata: Readonly<Record<string, unknown>>): ClientSecretMethod {
  const listed =
    metadata['introspection_endpoint_auth_methods_supported'] ?? metadata['token_endpoint_auth_methods_supported'];
  if (!Array.isArray(listed) || listed.includes('client_secret_basic')) return 'client_secret_basic';
  if (listed.includes('client_secret_post')) return 'client_secret_post';
  throw new MisconfiguredError('the authorization server takes no client secrets at its introspection endpoint');
}
