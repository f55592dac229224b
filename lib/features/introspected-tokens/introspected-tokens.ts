import { hash } from 'node:crypto';
import type { ProtectedResourceModel, Token } from '../../model/model.js';
import { warnOfModelMistake } from '../../model/model-mistakes.js';
import { withTimeout } from '../../remote/timeout.js';
import { MisconfiguredError } from '../../remote/misconfigured-error.js';
import { Discovery } from './discovery.js';
import { readIntrospection } from './introspection-response.js';
import {
  expiryOf,
  findClaimsError,
  type TokenRejection,
  rejectionError,
  type TokenClaims,
  tokenFromClaims,
} from '../../remote/token-claims.js';
import { introspect } from './introspect.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { ExpiringCache } from './expiring-cache.js';
import { type IntrospectedTokensOptions, type Settings, settle } from './settings.js';
import { unavailable } from '../../remote/unavailable.js';

/**
 * The result of introspecting a token. The token itself is not stored. If it is not active, there are neither claims
 * nor an error.
 */
interface CachedResult {
  claims?: TokenClaims;
  error?: TokenRejection;
  expiresAt: number;
  cachedUntil: number;
}

/** Assumed lifetime in seconds of a token for which the authorization server returns no expiry. */
const DEFAULT_LIFETIME = 60;

/** Seconds in `Retry-After` if the configuration must be fixed before a retry can succeed. */
const RETRY_AFTER = 30;

/**
 * The model of an API that is separate from its authorization server: it finds access tokens by introspection. If the
 * authorization server cannot be reached, the response is 503, and no token is rejected as invalid. RFC 7662
 */
export class IntrospectedTokens implements ProtectedResourceModel {
  declare readonly getClient?: undefined;
  declare readonly saveToken?: undefined;
  private readonly settings: Settings;
  private readonly discovery: Discovery;
  private readonly limiter: ConcurrencyLimiter;
  private readonly validTokens: ExpiringCache<CachedResult>;
  /**
   * The results for tokens that are not valid. They have a cache of their own, so that a flood of invalid tokens does
   * not remove valid ones.
   */
  private readonly invalidTokens: ExpiringCache<CachedResult>;
  private readonly pending = new Map<string, Promise<CachedResult>>();

  /** @throws {InvalidArgumentError} If an option is invalid. */
  constructor(options: IntrospectedTokensOptions) {
    this.settings = settle(options);
    this.discovery = new Discovery(this.settings);
    this.limiter = new ConcurrencyLimiter(this.settings.concurrency);
    this.validTokens = new ExpiringCache(this.settings.cache.size);
    this.invalidTokens = new ExpiringCache(this.settings.cache.size);
  }

  async getAccessToken(accessToken: string): Promise<Token | undefined> {
    const key = hash('sha256', accessToken, 'base64url');
    const result =
      this.validTokens.get(key) ?? this.invalidTokens.get(key) ?? (await this.introspectOnce(key, accessToken));
    if (result.error) throw rejectionError(result.error);
    // Copy the claims, since a route may change its token.
    return result.claims && tokenFromClaims(structuredClone(result.claims), accessToken, result.expiresAt);
  }

  /** Introspects a token. Concurrent calls for the same token share one request. */
  private introspectOnce(key: string, token: string): Promise<CachedResult> {
    let pending = this.pending.get(key);
    if (!pending) {
      pending = this.introspect(token)
        .then((result) => this.store(key, result))
        .finally(() => this.pending.delete(key));
      this.pending.set(key, pending);
    }
    return pending;
  }

  private store(key: string, result: CachedResult): CachedResult {
    const isValid = result.claims && !result.error && result.expiresAt > Date.now();
    (isValid ? this.validTokens : this.invalidTokens).set(key, result);
    return result;
  }

  private async introspect(token: string): Promise<CachedResult> {
    const { discovery, limiter, settings } = this;
    const send = (signal: AbortSignal) => limiter.run(signal, () => introspect(token, discovery, settings, signal));
    try {
      return this.validate(await withTimeout(settings.timeout, 'The authorization server', send));
    } catch (error) {
      if (!(error instanceof MisconfiguredError)) throw error;
      warnOfModelMistake(this, error.message);
      throw unavailable(error.message, RETRY_AFTER);
    }
  }

  private validate(body: unknown): CachedResult {
    const { lifetime, negativeLifetime } = this.settings.cache;
    const now = Date.now();
    const negativeUntil = now + negativeLifetime * 1000;
    const claims = readIntrospection(body);
    if (!claims) return { expiresAt: 0, cachedUntil: negativeUntil };
    const expiresAt = expiryOf(claims) ?? now + DEFAULT_LIFETIME * 1000;
    const error = findClaimsError(claims, this.settings);
    if (error) return { error: error, expiresAt, cachedUntil: negativeUntil };
    return {
      claims,
      expiresAt,
      cachedUntil: expiresAt > now ? Math.min(now + lifetime * 1000, expiresAt) : negativeUntil,
    };
  }
}
