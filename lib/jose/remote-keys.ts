import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { warnOfModelMistake } from '../model/model-mistakes.js';
import { isSecureUrl } from '../http/public-url.js';
import { withTimeout } from '../remote/timeout.js';
import { readIssuerMetadata } from '../remote/issuer-metadata.js';
import { requestJson } from '../remote/json-request.js';
import { MisconfiguredError } from '../remote/misconfigured-error.js';
import { unavailable } from '../remote/unavailable.js';
import { KeyCache, type KeyCacheSettings } from './key-cache.js';
import { readKeySet } from './read-key-set.js';

/** The issuer whose keys are fetched, and how they are fetched. */
interface RemoteKeysSettings extends KeyCacheSettings {
  issuer: string;
  /** The URL of the keys. If `undefined`, the `jwks_uri` in the issuer's metadata is used. */
  jwksUri?: string | undefined;
  /** Seconds after which fetching the keys fails. */
  timeout: number;
  fetch: typeof fetch;
}

/**
 * Returns a function that finds the keys of an authorization server. The keys are fetched when they are needed, and
 * cached. RFC 8414 §2
 * @param owner The object that uses the keys. A configuration error is logged once for each owner.
 */
export function remoteKeys(settings: RemoteKeysSettings, owner: object): JWTVerifyGetKey {
  const { coolDown, issuer, timeout } = settings;
  const load = async (): Promise<JSONWebKeySet> => {
    try {
      return await withTimeout(timeout, `The keys of ${issuer}`, (signal) => fetchKeys(settings, signal));
    } catch (error) {
      if (!(error instanceof MisconfiguredError)) throw error;
      warnOfModelMistake(owner, error.message);
      throw unavailable(error.message, Math.ceil(coolDown));
    }
  };
  return new KeyCache(load, settings).find;
}

async function fetchKeys({ fetch, issuer, jwksUri }: RemoteKeysSettings, signal: AbortSignal): Promise<JSONWebKeySet> {
  const url = jwksUri ?? jwksUriOf(await readIssuerMetadata(issuer, { fetch, signal }), issuer);
  const headers = { accept: 'application/jwk-set+json, application/json' };
  const { status, body, retryAfter } = await requestJson(url, { fetch, signal, headers });
  if (status !== 200) throw unavailable(`${url} responded with status ${status}`, retryAfter);
  const keys = readKeySet(body);
  if (!keys) throw unavailable(`the response of ${url} is not a JWK set`);
  return keys;
}

function jwksUriOf({ jwks_uri: url }: Readonly<Record<string, unknown>>, issuer: string): string {
  if (!isSecureUrl(url))
    throw new MisconfiguredError(`the metadata of ${issuer} contains no \`jwks_uri\` with an https URL`);
  return url;
}
