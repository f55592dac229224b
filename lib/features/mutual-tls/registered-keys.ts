import type { X509Certificate } from 'node:crypto';
import type { SafeFetchOptions } from '../../http/safe-fetch/index.js';
import type { CoreClient } from '../../model/model.js';
import { RefreshingCache } from '../../remote/refreshing-cache.js';
import { FetchedKeys } from '../../clients/registration/fetched-keys.js';
import { keysIn, keysOf } from '../../clients/registration/registered-keys.js';

type Jwk = Readonly<Record<string, unknown>>;

/** Finds certificates among the keys that clients have registered, as a JWK set or by its URL. RFC 8705 §2.2.2 */
export class RegisteredKeys {
  private readonly fetched: FetchedKeys<readonly Jwk[], RefreshingCache<readonly Jwk[]>>;

  constructor(options?: SafeFetchOptions) {
    this.fetched = new FetchedKeys(
      { read: keysIn, createCache: (...parameters) => new RefreshingCache(...parameters) },
      options,
    );
  }

  /**
   * Whether the client registered this certificate or its key. Rejects with a `FetchError` if the client's keys cannot
   * be fetched.
   * @param requester The network of the request that needs the keys, if known. It limits simultaneous fetches.
   */
  async includes(x509: X509Certificate, client: CoreClient, requester?: string): Promise<boolean> {
    const { jwks, uri } = keysOf(client);
    if (jwks) return isAmong(x509, keysIn(jwks) ?? []);
    return uri !== undefined && (await this.includesFetched(x509, this.fetched.at(uri, requester)));
  }

  private async includesFetched(x509: X509Certificate, keys: RefreshingCache<readonly Jwk[]>): Promise<boolean> {
    if (isAmong(x509, await keys.current())) return true;
    // The client may have a new certificate. If its keys cannot be fetched again, the certificate counts as unknown.
    const newest = await keys.refresh()?.catch(() => undefined);
    return newest !== undefined && isAmong(x509, newest);
  }
}

/**
 * Whether a certificate belongs to one of the keys. A key with `x5c` matches only the first certificate in it. A key
 * without `x5c` matches any certificate with this public key. RFC 7517 §4.7
 */
function isAmong({ raw, publicKey }: X509Certificate, keys: readonly Jwk[]): boolean {
  let certificateKey: Jwk | undefined;
  return keys.some(({ x5c, ...key }) => {
    if (x5c !== undefined) return Array.isArray(x5c) && isSame(x5c[0], raw);
    certificateKey ??= jwkOf(publicKey);
    return certificateKey['kty'] !== undefined && MEMBERS.every((name) => certificateKey![name] === key[name]);
  });
}

const isSame = (text: unknown, raw: Buffer) => typeof text === 'string' && Buffer.from(text, 'base64').equals(raw);

/** The members that define a public key of any type. RFC 7638 §3.2, RFC 8037 §2, RFC 9964 §6 */
const MEMBERS = ['kty', 'crv', 'x', 'y', 'e', 'n', 'pub'];

function jwkOf(key: X509Certificate['publicKey']): Jwk {
  try {
    return key.export({ format: 'jwk' });
  } catch {
    // Some elliptic curves have no JWK form.
    return {};
  }
}
