import { shortText } from '../../events.js';
import { isObject } from '../../options/kinds.js';
import { within } from './deadline.js';
import { type ClientSecretMethod, isSecure, type Settings } from './settings.js';
import { type JsonAnswer, requestJson } from './json-request.js';
import { unavailable } from './unavailable.js';

/** Where the authorization server is asked, and how a client proves itself there. */
export interface IntrospectionPlace {
  endpoint: string;
  method: ClientSecretMethod;
}

/** Something that does not mend itself: the operator is told. */
export class MisconfiguredError extends Error {}

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
    const metadata = (signal: AbortSignal) => this.metadata(issuer!, signal);
    return this.placeOf(await within(this.settings.timeout, `The metadata of ${issuer}`, metadata), issuer!);
  }

  /** OpenID Connect has it under another path. RFC 8414 §3.1, §5 */
  private async metadata(issuer: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const { origin, pathname } = new URL(issuer);
    const path = pathname.replace(/\/$/, '');
    const { fetch } = this.settings;
    let last: JsonAnswer | undefined;
    for (const url of [
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]) {
      last = await requestJson(url, { fetch, signal });
      if (last.status === 200 && isObject(last.body)) return last.body;
      if (last.status >= 500 || last.status === 429) break;
    }
    throw unavailable(
      `The metadata of ${issuer} cannot be read: the last status was ${last!.status}`,
      last!.retryAfter,
    );
  }

  private placeOf(metadata: Readonly<Record<string, unknown>>, issuer: string): IntrospectionPlace {
    const { issuer: named, introspection_endpoint: endpoint } = metadata;
    if (named !== issuer) {
      const given = typeof named === 'string' ? `'${shortText(named)}'` : typeof named;
      throw new MisconfiguredError(
        `the metadata of ${issuer} is of the issuer ${given}: write it in the same characters`,
      );
    }
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
