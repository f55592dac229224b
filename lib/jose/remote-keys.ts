import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { warnOfModelMistake } from '../model/model-mistakes.js';
import { isSecureUrl } from '../remote/option-readers.js';
import { withTimeout } from '../remote/timeout.js';
import { readIssuerMetadata } from '../remote/issuer-metadata.js';
import { requestJson } from '../remote/json-request.js';
import { MisconfiguredError } from '../remote/misconfigured-error.js';
import { unavailable } from '../remote/unavailable.js';
import { KeyCache, type KeyCacheSettings } from './key-cache.js';
import { readKeySet } from './read-key-set.js';

/** Whose keys they are, and how they are asked for. */
interface RemoteKeysSettings extends KeyCacheSettings {
  issuer: string;
  /** Where they are; undefined: the metadata say it. */
  jwksUri: string | undefined;
  /** Seconds that a request for them may take. */
  timeout: number;
  fetch: typeof fetch;
}

/**
 * The keys of an authorization server, found by its metadata. RFC 8414 §2
 * @param owner what uses them: a fault of the set-up is told once for each
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
  if (status !== 200) throw unavailable(`${url} answers with the status ${status}`, retryAfter);
  const keys = readKeySet(body);
  if (!keys) throw unavailable(`${url} answers with something that is no JWK set`);
  return keys;
}

function jwksUriOf({ jwks_uri: url }: Readonly<Record<string, unknown>>, issuer: string): string {
  if (!isSecureUrl(url))
    throw new MisconfiguredError(`the metadata of ${issuer} names no \`jwks_uri\` by an https URL`);
  return url;
}
