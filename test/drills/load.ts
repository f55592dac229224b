import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';

import { OAuth2Server, type Request } from 'nest-oauth2/server';
import { newClientSecret, type Store, type Users } from 'nest-oauth2/stores';

import { digest } from '../../lib/stores/clients/client-secret.js';
import { storageOf } from '../kit/storages.js';
import {
  authorizeRequest,
  basic,
  CHALLENGE,
  FORM,
  formRequest,
  type Operation,
  type Outcome,
  resourceRequest,
  runOperation,
  tokenRequest,
  VERIFIER,
} from '../support/clients/requests.js';
import { waitUntil } from '../support/environment/wait-until.js';

/** The user lookup of the application under load. */
export const users: Users = { findById: (id) => ({ id }), findByCredentials: () => undefined };

const SPA = { client_id: 'drill-spa', redirect_uri: 'https://spa.example/cb' };
const PKCE = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };

/** Longer than every outage of a drill, so that a client can repeat a refresh whose response was lost. */
const GRACE_PERIOD = 120;
/** Milliseconds that a client waits after a 503 response. Shorter than `Retry-After`, to measure the outage. */
const PAUSE = 50;
/** Number of refreshes between two sign-ins. */
const REFRESHES = 6;
/** Seconds that a drill waits for the first successful write of each worker. */
const PATIENCE = 60;

/** An authorization code or a refresh token whose use was acknowledged. */
export interface Consumed {
  readonly kind: 'code' | 'refresh';
  readonly secret: string;
}

/** The writes that clients received a response for. */
export interface Acknowledged {
  readonly accessTokens: readonly string[];
  readonly consumed: readonly Consumed[];
}

/** The acknowledged writes that a database lost. */
export interface Loss {
  /** Access tokens that the server rejects. */
  accessTokens: string[];
  /** Codes and refresh tokens that can be used again. */
  reusable: Consumed[];
}

/** The tokens of a token response. */
interface Tokens {
  access_token: string;
  refresh_token: string;
}

/** Clients that send requests to a server in loops, and remember which responses they received. */
export class Load {
  readonly server: OAuth2Server;
  /** The number of responses with each status. */
  readonly statuses = new Map<number, number>();
  /** Descriptions of responses that no client should see: neither 200, 302, 4xx nor 503. */
  readonly unexpected: string[] = [];
  private readonly accessTokens: string[] = [];
  private readonly consumed: Consumed[] = [];
  /** The new refresh tokens that were returned for each used one. */
  private readonly rotated = new Map<string, Set<string>>();
  /** The number of token responses for each code that was redeemed twice at the same time. */
  private readonly redemptions = new Map<string, number>();
  /** The times of successful writes, by worker. */
  private readonly written: number[][] = [];
  private readonly unavailable: number[] = [];
  /** The client credentials client. Loads on the same database have different ones. */
  private readonly serviceId = `drill-service-${randomUUID()}`;
  private readonly secret = newClientSecret();
  private isRunning = false;
  private lastError = 'none';
  private workers: Promise<void>[] = [];

  constructor(private readonly store: Store) {
    this.server = new OAuth2Server({ model: store, refreshTokenReuseInterval: GRACE_PERIOD });
  }

  /** Saves the clients, and starts one loop for each user, client credentials client and attacker. */
  async start({ sessions = 6, services = 3, attackers = 2 } = {}): Promise<void> {
    await this.store.saveClient({
      id: SPA.client_id,
      grants: ['authorization_code', 'refresh_token'],
      redirectUris: [SPA.redirect_uri],
      scopes: ['read'],
      tokenEndpointAuthMethod: 'none',
    });
    const secretHashes = [this.secret.secretHash];
    await this.store.saveClient({
      id: this.serviceId,
      grants: ['client_credentials'],
      secretHashes,
      scopes: ['read'],
    });
    this.isRunning = true;
    const loops = [
      ...Array.from({ length: sessions }, () => this.session),
      ...Array.from({ length: services }, () => this.service),
      ...Array.from({ length: attackers }, () => this.attacker),
    ];
    this.workers = loops.map(async (loop, worker) => {
      this.written.push([]);
      while (this.isRunning) {
        await loop.call(this, worker);
        await rest(Math.random() * 4);
      }
    });
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    await Promise.all(this.workers);
  }

  /** Returns the writes that were acknowledged until now. */
  acknowledged(): Acknowledged {
    return { accessTokens: [...this.accessTokens], consumed: [...this.consumed] };
  }

  /** Waits until each worker has written something after this moment. */
  async everyWorkerWrites(since = performance.now()): Promise<void> {
    const isWriting = () => this.written.every((times) => (times.at(-1) ?? -1) > since);
    await waitUntil(isWriting, PATIENCE).catch(() => {
      const last = this.written.map((times) => times.findIndex((time) => time > since));
      throw new Error(`Some workers cannot write after ${PATIENCE} s: ${last.join()}. Last error: ${this.lastError}`);
    });
  }

  /** Returns the seconds from a moment until the workers wrote successfully, and to the last response with 503. */
  recovery(since: number): { firstWrite: number; allWorkers: number; lastUnavailable: number } {
    const first = this.written.map((times) => times.find((time) => time > since) ?? Infinity);
    return {
      firstWrite: (Math.min(...first) - since) / 1000,
      allWorkers: (Math.max(...first) - since) / 1000,
      lastUnavailable: Math.max(0, Math.max(since, ...this.unavailable) - since) / 1000,
    };
  }

  /** Returns the codes and refresh tokens for which two clients received different tokens. */
  usedTwice(): string[] {
    const codes = [...this.redemptions].filter(([, count]) => count > 1);
    const tokens = [...this.rotated].filter(([, returned]) => returned.size > 1);
    return [...codes, ...tokens].map(([secret]) => secret);
  }

  /** Finds out which acknowledged writes are gone. Call it after `stop()`. */
  async findLoss({ accessTokens, consumed } = this.acknowledged()): Promise<Loss> {
    const loss: Loss = { accessTokens: [], reusable: [] };
    await inGroups(accessTokens, async (token) => {
      const { status } = await runOperation(this.server, 'authenticate', resourceRequest(`Bearer ${token}`));
      if (status !== 200) loss.accessTokens.push(token);
    });
    const storage = storageOf(this.store);
    await inGroups(consumed, async (one) => {
      const row = await storage.find(one.kind, digest(one.secret));
      if (row?.revokedAt === null) loss.reusable.push(one);
    });
    return loss;
  }

  /** Sends acknowledged codes and refresh tokens again. Returns how many of them the server accepted. */
  async replay(consumed: readonly Consumed[]): Promise<number> {
    let accepted = 0;
    await inGroups(consumed, async ({ kind, secret }) => {
      const request = kind === 'code' ? redemptionOf(secret) : refreshOf(secret);
      const { status, body } = await runOperation(this.server, 'token', request);
      // Within the grace period, the response is the one that the client has received before.
      const isKnown = this.rotated.get(secret)?.has((body as unknown as Tokens).refresh_token) ?? false;
      if (status === 200 && !isKnown) accepted++;
    });
    return accepted;
  }

  /** A user signs in, and the client refreshes the tokens several times. It repeats requests that get a 503 response. */
  private async session(worker: number): Promise<void> {
    const code = await this.authorize(worker);
    if (code === undefined) return;
    let response = await this.untilAvailable(worker, () => redemptionOf(code));
    if (response.status !== 200) return;
    this.consumed.push({ kind: 'code', secret: code });
    for (let count = 0; ; count++) {
      const tokens = response.body as unknown as Tokens;
      this.accessTokens.push(tokens.access_token);
      await this.send(worker, 'authenticate', resourceRequest(`Bearer ${tokens.access_token}`));
      if (count === REFRESHES || !this.isRunning) return;
      response = await this.untilAvailable(worker, () => refreshOf(tokens.refresh_token));
      if (response.status !== 200) return;
      this.consumed.push({ kind: 'refresh', secret: tokens.refresh_token });
      this.remember(tokens.refresh_token, response);
    }
  }

  /** A service requests a token with its client credentials, and uses it. */
  private async service(worker: number): Promise<void> {
    const authorization = basic(this.serviceId, this.secret.secret);
    const request = () =>
      tokenRequest({ grant_type: 'client_credentials', scope: 'read' }, { headers: { ...FORM, authorization } });
    const { status, body } = await this.untilAvailable(worker, request);
    if (status !== 200) return;
    const { access_token: token } = body as unknown as Tokens;
    this.accessTokens.push(token);
    await this.send(worker, 'authenticate', resourceRequest(`Bearer ${token}`));
  }

  /** An attacker sends the same code twice at the same time, and then the same refresh token. */
  private async attacker(worker: number): Promise<void> {
    const code = await this.authorize(worker);
    if (code === undefined) return;
    const both = (request: () => Request) =>
      Promise.all([this.untilAvailable(worker, request), this.untilAvailable(worker, request)]);
    const redeemed = (await both(() => redemptionOf(code))).filter(({ status }) => status === 200);
    this.redemptions.set(code, redeemed.length);
    if (!redeemed[0]) return;
    const { refresh_token: token } = redeemed[0].body as unknown as Tokens;
    for (const response of await both(() => refreshOf(token))) this.remember(token, response);
  }

  private async authorize(worker: number): Promise<string | undefined> {
    const options = { authenticateHandler: { handle: () => ({ id: `user-${worker}` }) } };
    const request = () => authorizeRequest({ ...SPA, ...PKCE });
    const { redirected } = await this.untilAvailable(worker, request, 'authorize', options);
    return redirected['code'] as string | undefined;
  }

  private remember(refreshToken: string, { status, body }: Outcome): void {
    if (status !== 200) return;
    const rotated = this.rotated.get(refreshToken) ?? new Set();
    this.rotated.set(refreshToken, rotated.add((body as unknown as Tokens).refresh_token));
  }

  /** Sends a writing request again until its response is not 503. */
  private async untilAvailable(
    worker: number,
    request: () => Request,
    operation: Operation = 'token',
    options: object = {},
  ): Promise<Outcome> {
    for (;;) {
      const outcome = await this.send(worker, operation, request(), options);
      if (isServed(outcome)) this.written[worker]!.push(performance.now());
      if (!isUnavailable(outcome) || !this.isRunning) return outcome;
      await rest(PAUSE);
    }
  }

  private async send(worker: number, operation: Operation, request: Request, options = {}): Promise<Outcome> {
    let outcome: Outcome;
    try {
      outcome = await runOperation(this.server, operation, request, options);
    } catch (error) {
      this.unexpected.push(`${operation} of worker ${worker}: ${String(error)}`);
      return { status: 500, body: {}, redirected: {} } as unknown as Outcome;
    }
    const status = isUnavailable(outcome) ? 503 : outcome.status;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status === 503) this.unavailable.push(performance.now());
    if (isServed(outcome)) return outcome;
    const { error, redirected } = outcome;
    this.lastError = `${operation}: ${status} ${String(error ?? JSON.stringify(redirected))}, caused by ${String(error?.cause)}`;
    if (status < 400 || (status >= 500 && status !== 503)) this.unexpected.push(this.lastError);
    return outcome;
  }
}

const redemptionOf = (code: string) =>
  formRequest({ ...SPA, grant_type: 'authorization_code', code, code_verifier: VERIFIER });

const refreshOf = (refreshToken: string) =>
  formRequest({ client_id: SPA.client_id, grant_type: 'refresh_token', refresh_token: refreshToken });

/** Whether a response has tokens, a user or a code. */
const isServed = ({ status, redirected }: Outcome) =>
  status === 200 || (status === 302 && typeof redirected['code'] === 'string');

/** The authorization endpoint returns the error in the redirect. RFC 6749 §4.1.2.1 */
const isUnavailable = ({ status, redirected }: Outcome) =>
  status === 503 || redirected['error'] === 'temporarily_unavailable';

/** Runs work for each value, for a few of them at a time. */
async function inGroups<T>(values: readonly T[], work: (value: T) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < values.length; start += 32) await Promise.all(values.slice(start, start + 32).map(work));
}
