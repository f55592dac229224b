import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { warnOfModel } from '../../model/model-mistakes.js';
import { isObject } from '../../options/kinds.js';
import { isSecure } from '../../remote/checks.js';
import { within } from '../../remote/deadline.js';
import { issuerMetadata } from '../../remote/issuer-metadata.js';
import { requestJson } from '../../remote/json-request.js';
import { MisconfiguredError } from '../../remote/misconfigured-error.js';
import { unavailable } from '../../remote/unavailable.js';
import type { Settings } from './settings.js';

/** Keys of an honest server are a few. */
const MOST = 100;

/**
 * The keys of another server. They are asked for once in a while, while the old ones are used; at once, if a token names one
 * that is unknown; and never more often than the cool-down says, whatever tokens come. RFC 7517, RFC 8414 §2
 */
export class RemoteKeys {
  private keys: JWTVerifyGetKey | undefined;
  private readAt = -Infinity;
  private askedAt = -Infinity;
  private reading: Promise<void> | undefined;
  private failure: unknown;

  constructor(
    private readonly settings: Settings,
    /** Whose keys they are: a fault of the set-up is told once for each. */
    private readonly model: object,
  ) {}

  /** As `jose` asks for a key: by the header of a token. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.current();
    try {
      return await keys(header, token);
    } catch (error) {
      const reading = error instanceof errors.JWKSNoMatchingKey && this.newest();
      if (!reading) throw error;
      // They may have been changed a moment ago. That there is no answer now makes an unknown key no better.
      await reading.catch(() => undefined);
      return await this.keys!(header, token);
    }
  };

  private async current(): Promise<JWTVerifyGetKey> {
    const { maxAge, maxStale } = this.settings;
    const age = elapsed(this.readAt);
    if (this.keys && age < maxAge) return this.keys;
    const reading = this.newest();
    if (this.keys && age < maxStale) reading?.catch(() => undefined);
    else if (reading) await reading;
    else throw this.failure;
    return this.keys!;
  }

  /** What is being read now, or is read again; undefined: it was a moment ago. */
  private newest(): Promise<void> | undefined {
    return this.reading ?? (elapsed(this.askedAt) >= this.settings.coolDown ? this.read() : undefined);
  }

  private read(): Promise<void> {
    this.askedAt = performance.now();
    const { timeout } = this.settings;
    this.reading = this.renew(timeout).finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async renew(timeout: number): Promise<void> {
    try {
      const set = await within(timeout, `The keys of ${this.settings.issuer}`, (signal) => this.fetched(signal));
      this.keys = createLocalJWKSet(set);
      this.readAt = performance.now();
    } catch (error) {
      this.failure = this.failureOf(error);
      throw this.failure;
    }
  }

  private failureOf(error: unknown): unknown {
    if (!(error instanceof MisconfiguredError)) return error;
    warnOfModel(this.model, error.message);
    return unavailable(error.message, Math.ceil(this.settings.coolDown));
  }

  private async fetched(signal: AbortSignal): Promise<JSONWebKeySet> {
    const { fetch, issuer, jwksUri } = this.settings;
    const url = jwksUri ?? placeOf(await issuerMetadata(issuer, { fetch, signal }), issuer);
    const headers = { accept: 'application/jwk-set+json, application/json' };
    const { status, body, retryAfter } = await requestJson(url, { fetch, signal, headers });
    if (status !== 200) throw unavailable(`${url} answers with the status ${status}`, retryAfter);
    const keys: unknown = isObject(body) ? body['keys'] : undefined;
    if (!Array.isArray(keys) || keys.length > MOST || !keys.every(isObject)) {
      throw unavailable(`${url} answers with something that is no JWK set`);
    }
    return { keys: (keys as JSONWebKeySet['keys']).filter(isPublic) };
  }
}

/** A secret that everybody may read signs nothing. RFC 8725 §2.1 */
const isPublic = (key: object) => (key as { kty?: unknown }).kty !== 'oct';

function placeOf({ jwks_uri: url }: Readonly<Record<string, unknown>>, issuer: string): string {
  if (!isSecure(url)) throw new MisconfiguredError(`the metadata of ${issuer} names no \`jwks_uri\` by an https URL`);
  return url;
}

/** Seconds since then, by a clock that nobody sets. */
const elapsed = (since: number) => (performance.now() - since) / 1000;
