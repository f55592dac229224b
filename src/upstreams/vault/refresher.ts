import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ProviderClient } from '../providers/provider-client.js';
import type { IssuedTokens } from '../providers/token-response.js';
import { isRefreshTokenRefused } from '../providers/refusal-of-refresh.js';
import { causeOf } from '../upstream-events.js';
import { UpstreamUnavailable } from './vault-errors.js';
import type { VaultEntries } from './vault-entries.js';
import type { ReconnectReason, VaultEntry } from './vault-entry.js';
import { tokensOf } from './issued-tokens.js';

/** Milliseconds of a lease. After them, another process may refresh the tokens: the first one may have been killed. */
const LEASE = 15_000;

/** Milliseconds after which the response of a provider is not awaited any more. It is less than the lease. */
const PROVIDER_TIMEOUT = 11_000;

/** Milliseconds of the lease that must be left when the provider is called. */
const REQUIRED_LEASE = PROVIDER_TIMEOUT + 1000;

/** Milliseconds after which a caller does not wait for another process any more. It is more than the lease. */
const PATIENCE = 20_000;

/** Milliseconds between two look-ups of a waiting process, at the beginning and later. */
const POLL = [30, 200] as const;

/** Milliseconds after which a waiting process looks less often. */
const EAGER = 4000;

/** Milliseconds for which no refresh is tried after the provider was unavailable. */
const PAUSE = 1000;

/** Number of attempts to store a token response while the database fails. */
const SAVE_ATTEMPTS = 20;

/** A change of an entry that listeners of events hear about. */
export type ReportReconnect = (entry: VaultEntry, reason: ReconnectReason) => void;

/**
 * Refreshes tokens once in all processes. A process takes a lease of the entry by compare-and-set, reads it again, calls
 * the provider, and stores the response only if the entry was not changed. Other processes read the entry until then.
 */
export class Refresher {
  /** The refreshes in this process by the ID of the entry, so that only one caller for each reads the entry. */
  private readonly pending = new Map<string, Promise<VaultEntry | undefined>>();

  constructor(
    private readonly entries: VaultEntries,
    private readonly report: ReportReconnect,
  ) {}

  /**
   * Refreshes the tokens of an entry, or waits until another caller or process has refreshed them.
   * @returns the entry with other tokens or another state. `undefined` if it was removed.
   * @throws {UpstreamUnavailable} If the provider is unavailable, or the deadline has passed.
   */
  async refresh(client: ProviderClient, entry: VaultEntry): Promise<VaultEntry | undefined> {
    const { id } = entry.stored;
    const known = this.pending.get(id);
    if (known) return known;
    const begun = this.refreshOnce(client, entry).finally(() => this.pending.delete(id));
    this.pending.set(id, begun);
    return begun;
  }

  private async refreshOnce(client: ProviderClient, first: VaultEntry): Promise<VaultEntry | undefined> {
    const { stored, state } = first;
    const began = performance.now();
    // The metadata of the provider is read before the lease begins.
    await client.prepare().catch((cause: unknown) => {
      throw unavailable(state.provider, cause);
    });
    for (let entry: VaultEntry | undefined = first; ; entry = await this.entries.find(stored.id)) {
      if (!entry || entry.state.version !== state.version || entry.reconnect) return entry;
      const waited = performance.now() - began;
      if (entry.pauseLeft > 0 || waited > PATIENCE) throw new UpstreamUnavailable(state.provider);
      if (entry.leaseLeft > 0) {
        await sleep(POLL[waited > EAGER ? 1 : 0]);
        continue;
      }
      const leased = await this.takeLease(entry);
      if (leased) return this.callProvider(client, leased);
    }
  }

  /** Takes the lease of an entry, and reads the entry again. `undefined` if another process has it. */
  private async takeLease(entry: VaultEntry): Promise<VaultEntry | undefined> {
    // Without the random owner, processes that change the entry in the same way would all have the lease.
    const owner = randomUUID();
    const { version, lease, isInDoubt = false } = entry.state;
    const taken = await this.entries.replace(entry, {
      lease: { owner, until: entry.remaining - LEASE },
      // The process that had the last lease was killed, perhaps after the provider had rotated the refresh token.
      isInDoubt: isInDoubt || lease !== undefined || undefined,
      pausedUntil: undefined,
    });
    if (!taken) return undefined;
    const leased = await this.entries.find(entry.stored.id);
    const isOwner = leased?.state.lease?.owner === owner && leased.state.version === version;
    return isOwner && leased.leaseLeft > REQUIRED_LEASE ? leased : undefined;
  }

  private async callProvider(client: ProviderClient, leased: VaultEntry): Promise<VaultEntry | undefined> {
    const { state, tokens } = leased;
    const late = Symbol('late');
    let issued: IssuedTokens | typeof late;
    const timer = new AbortController();
    try {
      issued = await Promise.race([
        client.refresh(tokens!.refreshToken!),
        sleep(PROVIDER_TIMEOUT, late, { signal: timer.signal }),
      ]);
    } catch (error) {
      if (isRefreshTokenRefused(error)) return await this.end(leased, state.isInDoubt ? 'lost' : 'refused');
      // The lease ends early, so that the next caller tries again soon.
      const changes = { lease: undefined, isInDoubt: true, pausedUntil: leased.remaining - PAUSE };
      await this.entries.replace(leased, changes);
      throw unavailable(state.provider, error);
    } finally {
      timer.abort();
    }
    // The lease is kept until it expires, because the provider may still handle the request.
    if (issued === late) throw new UpstreamUnavailable(state.provider);
    if (issued.subject && !leased.isOf(issued.subject)) return this.end(leased, 'otherUser');
    return this.save(client, leased, issued);
  }

  /**
   * Stores a token response. A rotated refresh token must not be lost: if the database fails, or another process has
   * taken the lease or was refused the old token meanwhile, it tries again.
   */
  private async save(
    client: ProviderClient,
    leased: VaultEntry,
    issued: IssuedTokens,
  ): Promise<VaultEntry | undefined> {
    const { tokens, state, stored } = leased;
    const changes = {
      version: randomUUID(),
      lease: undefined,
      isInDoubt: undefined,
      pausedUntil: undefined,
      reconnect: undefined,
      tokens: tokensOf(issued, tokens!.scope, tokens),
    };
    let from = leased;
    let to = this.entries.changed(from, changes);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const saved = await this.entries.replaceWith(from, to);
        if (saved) return saved;
        const found = await this.entries.find(stored.id);
        // The entry was removed or revoked meanwhile, so nobody may use the new tokens.
        if (!found) await client.revoke(tokensOf(issued, ''));
        if (found?.state.version !== state.version || attempt === SAVE_ATTEMPTS) return found;
        from = found;
        to = this.entries.changed(from, changes);
      } catch (error) {
        if (attempt === SAVE_ATTEMPTS) throw error;
        await sleep(attempt * POLL[0]);
      }
    }
  }

  /** Ends the use of the tokens, unless the entry was changed meanwhile. */
  private async end(leased: VaultEntry, reconnect: ReconnectReason): Promise<VaultEntry | undefined> {
    const ended = await this.entries.replace(leased, { reconnect, lease: undefined });
    if (!ended) return this.entries.find(leased.stored.id);
    this.report(ended, reconnect);
    return ended;
  }
}

/**
 * Returns the error for a provider that is unavailable, with the messages of its cause. The errors of the library contain
 * the response, in which tokens may be.
 */
const unavailable = (provider: string, cause: unknown) =>
  new UpstreamUnavailable(provider, { cause: new Error(causeOf(cause)) });
