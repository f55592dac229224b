import { randomUUID } from 'node:crypto';

import type { User } from '../../../lib/index.js';
import { InvalidArgumentError, TemporarilyUnavailableError } from '../../../lib/index.js';
import type {
  StoredUpstream,
  UpstreamToken,
  UpstreamTokenRequest,
  UpstreamVault,
} from '../../interfaces/upstream-vault.interface.js';
import { callApi } from '../providers/api-call.js';
import type { ProviderClient } from '../providers/provider-client.js';
import type { FetchFunction } from '../providers/provider.js';
import type { IssuedTokens } from '../providers/token-response.js';
import { reportReconnect } from '../upstream-events.js';
import { ConsentLinks } from './consent-links.js';
import { tokensOf } from './issued-tokens.js';
import { RECONNECT_REASONS } from './reconnect-reasons.js';
import { Refresher } from './refresher.js';
import { VaultEntries } from './vault-entries.js';
import type { VaultServer } from './vault-server.js';
import { covers, ENTRY_LIFETIME, unionOf, type VaultEntry, type VaultTokens } from './vault-entry.js';
import { type ConsentReason, UpstreamConsentRequired, UpstreamUnavailable } from './vault-errors.js';

/** Seconds for which a returned token is valid at least, unless the caller requires another validity. */
const MIN_VALIDITY = 60;

/** Number of attempts to change or refresh an entry that other callers change at the same time. */
const ATTEMPTS = 5;

/** Seconds after a refresh in which a 401 of an API does not cause another one. */
const FRESH = 30;

/** Tokens that a provider has just issued for an identity of a user. */
interface NewTokens {
  readonly provider: string;
  readonly iss: string;
  readonly sub: string;
  readonly issued: IssuedTokens;
  /** The requested scope. */
  readonly scope: string;
  /** Whether the user has connected the provider, instead of signing in. */
  readonly isConnected: boolean;
}

/** The tokens that the providers of one server have issued for its users. */
export class Vault implements UpstreamVault {
  private readonly entries: VaultEntries;
  private readonly refresher: Refresher;
  private readonly links: ConsentLinks;

  constructor(
    private readonly upstreams: VaultServer,
    private readonly send: FetchFunction,
  ) {
    this.entries = new VaultEntries(upstreams);
    this.refresher = new Refresher(this.entries, (entry, reason) => reportReconnect(upstreams.server, entry, reason));
    this.links = new ConsentLinks(upstreams.server);
  }

  /**
   * Stores the tokens of a verified sign-in. A sign-in does not replace tokens of the same identity that are as good.
   * They end with the identity, also if it is removed at the same moment.
   */
  async keep(user: User, { provider, iss, sub, issued, scope, isConnected }: NewTokens): Promise<void> {
    const key = this.entries.keyOf(user, provider);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const found = await this.entries.find(key.id);
      const previous = found?.isOf({ iss, sub }) && !found.reconnect ? found.tokens : undefined;
      const tokens = tokensOf(issued, scope);
      if (previous && !isConnected && isAsGood(previous, tokens)) return;
      const refreshToken = tokens.refreshToken ?? (previous && isAsGood(previous, tokens) && previous.refreshToken);
      const kept: VaultTokens = { ...tokens, refreshToken: refreshToken || undefined };
      const state = { provider, iss, sub, version: randomUUID() };
      const unset = { reconnect: undefined, lease: undefined, isInDoubt: undefined, pausedUntil: undefined };
      const isSaved = found
        ? await this.entries.replace(found, { ...state, ...unset, tokens: kept })
        : await this.entries.add(key, { ...state, tokens: kept });
      if (isSaved) return this.removeIfUnlinked(user, { provider, iss, sub });
    }
    throw new TemporarilyUnavailableError('Temporarily unavailable: the tokens of the provider change too often');
  }

  async token(user: User, provider: string, request: UpstreamTokenRequest = {}): Promise<UpstreamToken> {
    return tokenOf(await this.valid(user, provider, request));
  }

  async fetch(user: User, provider: string, input: string | URL, init: RequestInit = {}): Promise<Response> {
    const { apis, label } = this.client(provider).provider;
    const call = callApi({ apis, label, send: this.send }, input, init);
    const entry = await this.valid(user, provider, {});
    const response = await call(entry.tokens!.accessToken);
    const isFresh = ENTRY_LIFETIME - entry.remaining < FRESH * 1000;
    if (response.status !== 401 || isFresh) return response;
    await response.body?.cancel();
    // The provider may have ended the token early. Another caller may have refreshed it since.
    const renewed = await this.valid(user, provider, {}, entry.state.version);
    return call(renewed.tokens!.accessToken);
  }

  async list(user: User): Promise<StoredUpstream[]> {
    const entries = await this.entries.list(user);
    return entries.map(describe).toSorted((a, b) => a.provider.localeCompare(b.provider));
  }

  async disconnect(user: User, provider: string): Promise<boolean> {
    const client = this.client(provider);
    const entry = await this.entries.find(this.entries.keyOf(user, provider).id);
    return entry ? this.remove(client, entry) : false;
  }

  async refreshAll(user: User, request: Pick<UpstreamTokenRequest, 'minValidity'> = {}): Promise<StoredUpstream[]> {
    for (const { provider } of await this.list(user)) {
      await this.token(user, provider, request).catch((error: unknown) => {
        // The list tells which tokens could not be refreshed.
        if (!(error instanceof UpstreamConsentRequired || error instanceof UpstreamUnavailable)) throw error;
      });
    }
    return this.list(user);
  }

  /** Deletes the tokens of an identity that was removed from an account, and revokes them at the provider. */
  async end(user: User, { provider, iss, sub }: Pick<NewTokens, 'provider' | 'iss' | 'sub'>): Promise<void> {
    if (!this.upstreams.provider(provider)) return;
    const entry = await this.entries.find(this.entries.keyOf(user, provider).id);
    if (entry?.isOf({ iss, sub })) await this.remove(this.client(provider), entry);
  }

  /** Returns the entry of a user with a valid token. It is refreshed if it has the version `rejected`. */
  private async valid(
    user: User,
    provider: string,
    request: UpstreamTokenRequest,
    rejected?: string,
  ): Promise<VaultEntry> {
    const { scope = '', minValidity = MIN_VALIDITY } = request;
    if (!(minValidity >= 0)) throw new InvalidArgumentError('Invalid argument: `minValidity` must be seconds from 0');
    const client = this.client(provider);
    const { id } = this.entries.keyOf(user, provider);
    let entry: VaultEntry | undefined = await this.entries.find(id);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const fail = (reason: ConsentReason) =>
        this.consentRequired(user, { provider, request, rejected, reason, entry });
      if (!entry?.tokens || entry.reconnect) throw fail(entry ? 'reconnect' : 'missing');
      if (!covers(entry.tokens.scope, scope)) throw fail('scope');
      const isUsable = entry.state.version !== rejected && entry.validity > 0;
      // A provider may issue only tokens with a shorter validity.
      const isNew = attempt > 0 && ENTRY_LIFETIME - entry.remaining < FRESH * 1000;
      if (isUsable && (isNew || entry.validity >= minValidity * 1000)) return entry;
      if (entry.tokens.refreshToken === undefined) {
        if (isUsable) return entry;
        throw fail('expired');
      }
      const current = entry;
      try {
        entry = await this.refresher.refresh(client, current);
      } catch (error) {
        if (isUsable && error instanceof UpstreamUnavailable) return current;
        throw error;
      }
    }
    throw new UpstreamUnavailable(provider);
  }

  private consentRequired(
    user: User,
    {
      provider,
      request,
      rejected,
      reason,
      entry,
    }: {
      provider: string;
      request: UpstreamTokenRequest;
      rejected: string | undefined;
      reason: ConsentReason;
      entry: VaultEntry | undefined;
    },
  ): UpstreamConsentRequired {
    const { scope: own, label } = this.client(provider).provider;
    const all = unionOf(own, entry?.tokens?.scope ?? '', request.scope ?? '');
    const url = this.links.urlFor({ userId: String(user['id']), provider, scope: all });
    const isResolved = async () => this.valid(user, provider, request, rejected).then(() => true, isNoConsent);
    return new UpstreamConsentRequired({ provider, label, scope: all, url, reason, isResolved });
  }

  private async removeIfUnlinked(user: User, identity: Pick<NewTokens, 'provider' | 'iss' | 'sub'>): Promise<void> {
    const { identities, realm } = this.upstreams;
    const { iss, sub } = identity;
    const owner = await identities.findIdentity({ realm, iss, sub });
    if (owner?.userId !== String(user['id'])) await this.end(user, identity);
  }

  private async remove(client: ProviderClient, { stored, tokens }: VaultEntry): Promise<boolean> {
    const isRemoved = await this.entries.remove(stored.id);
    if (isRemoved && tokens) await client.revoke(tokens);
    return isRemoved;
  }

  private client(provider: string): ProviderClient {
    if (this.upstreams.provider(provider)) return this.upstreams.client(provider);
    const names = this.upstreams.names.join(', ');
    throw new InvalidArgumentError(
      `Invalid argument: there is no provider \`${provider}\`. The providers are ${names}`,
    );
  }
}

/** Returns `false` for an error that ends when the user gives consent, or when the provider is available again. */
function isNoConsent(error: unknown): false {
  if (error instanceof UpstreamConsentRequired || error instanceof UpstreamUnavailable) return false;
  throw error;
}

/** Whether stored tokens can be used for all that new ones can, and for as long. */
const isAsGood = (stored: VaultTokens, issued: VaultTokens): boolean =>
  covers(stored.scope, issued.scope) && (stored.refreshToken !== undefined || issued.refreshToken === undefined);

function expiryOf({ validity }: VaultEntry): Date | undefined {
  return validity === Infinity ? undefined : new Date(Date.now() + Math.floor(validity));
}

function tokenOf(entry: VaultEntry): UpstreamToken {
  const { accessToken, scope, idToken } = entry.tokens!;
  const { iss, sub } = entry.state;
  return { accessToken, scope, idToken, expiresAt: expiryOf(entry), iss, sub };
}

const describe = (entry: VaultEntry): StoredUpstream => ({
  provider: entry.state.provider,
  iss: entry.state.iss,
  sub: entry.state.sub,
  scope: entry.tokens?.scope ?? '',
  state: entry.reconnect ? 'reconnect' : 'active',
  reason: entry.reconnect && RECONNECT_REASONS[entry.reconnect].reason,
  expiresAt: entry.tokens && expiryOf(entry),
  isRefreshable: entry.tokens?.refreshToken !== undefined,
});
