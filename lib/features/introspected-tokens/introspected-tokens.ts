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

/** The result of introspecting a token, without the token itself. */
interface CachedResult {
  claims?: TokenClaims;
  objection?: TokenRejection;
  expiresAt: number;
  cachedUntil: number;
}

/** Assumed lifetime in seconds of a token for which the authorization server returns no expiry. */
const DEFAULT_LIFETIME = 60;

/** Seconds in `Retry-After` if the configuration must be fixed first. */
const RETRY_AFTER = 30;

/**
 * The model of an API that is separate from its authorization server: the guard finds a token by introspection. If the
 * authorization server cannot be reached, the response is 503, and no token is rejected. RFC 7662
 */
export class IntrospectedTokens implements ProtectedResourceModel {
  declare readonly getClient?: undefined;
  declare readonly saveToken?: undefined;
  private readonly settings: Settings;
  private readonly discovery: Discovery;
  private readonly limiter: ConcurrencyLimiter;
  private readonly validTokens: ExpiringCache<CachedResult>;
  /** A separate cache, so that a flood of invalid tokens does not remove valid ones. */
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
    const known =
      this.validTokens.get(key) ?? this.invalidTokens.get(key) ?? (await this.introspectOnce(key, accessToken));
    if (known.objection) throw rejectionError(known.objection);
    // Copy the claims, since a route may change its token.
    return known.claims && tokenFromClaims(structuredClone(known.claims), accessToken, known.expiresAt);
  }

  /** Introspects a token. Concurrent calls for the same token share one request. */
  private introspectOnce(key: string, token: string): Promise<CachedResult> {
    let asked = this.pending.get(key);
    if (!asked) {
      asked = this.introspect(token)
        .then((known) => this.store(key, known))
        .finally(() => this.pending.delete(key));
      this.pending.set(key, asked);
    }
    return asked;
  }

  private store(key: string, known: CachedResult): CachedResult {
    const isGood = known.claims && !known.objection && known.expiresAt > Date.now();
    (isGood ? this.validTokens : this.invalidTokens).set(key, known);
    return known;
  }

  private async introspect(token: string): Promise<CachedResult> {
    const { discovery, limiter: line, settings } = this;
    const ask = (signal: AbortSignal) => line.run(signal, () => introspect(token, discovery, settings, signal));
    try {
      return this.validate(await withTimeout(settings.timeout, 'The authorization server', ask));
    } catch (error) {
      if (!(error instanceof MisconfiguredError)) throw error;
      warnOfModelMistake(this, error.message);
      throw unavailable(error.message, RETRY_AFTER);
    }
  }

  private validate(body: unknown): CachedResult {
    const { lifetime, negativeLifetime } = this.settings.cache;
    const now = Date.now();
    const briefly = now + negativeLifetime * 1000;
    const said = readIntrospection(body);
    if (!said) return { expiresAt: 0, cachedUntil: briefly };
    const expiresAt = expiryOf(said) ?? now + DEFAULT_LIFETIME * 1000;
    const objection = findClaimsError(said, this.settings);
    if (objection) return { objection, expiresAt, cachedUntil: briefly };
    return {
      claims: said,
      expiresAt,
      cachedUntil: expiresAt > now ? Math.min(now + lifetime * 1000, expiresAt) : briefly,
    };
  }
}
