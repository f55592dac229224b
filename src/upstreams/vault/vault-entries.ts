import { hash } from 'node:crypto';

import type { StoredUpstreamTokens, UpstreamTokenModel, UpstreamTokensKey, User } from '../../../lib/index.js';
import { SERVER_SECRETS, TextEncryption } from '../../../lib/internal.js';
import { ENTRY_LIFETIME, type EntryChanges, type EntryState, VaultEntry, type VaultTokens } from './vault-entry.js';
import type { VaultServer } from './vault-server.js';

/** An entry to store. */
type NewEntry = EntryState & { readonly tokens: VaultTokens };

/** An entry as its row contains it. */
type EntryRecord = EntryState & { readonly tokens: string };

/** The stored tokens of one server, encrypted with its `secret` (AES-256-GCM). */
export class VaultEntries {
  private readonly encryption: TextEncryption;

  constructor(private readonly upstreams: VaultServer) {
    const secrets = upstreams.server.find(SERVER_SECRETS) ?? [];
    this.encryption = new TextEncryption(secrets, 'nest-oauth2 upstream tokens');
  }

  /** Returns the key of the tokens that a provider has issued for a user. Another provider with its name has another. */
  keyOf(user: User, provider: string): UpstreamTokensKey {
    const { realm, server } = this.upstreams;
    const issuer = server.options.issuer!;
    const userId = String(user['id']);
    const parts = ['upstream tokens', realm, issuer, userId, provider, this.upstreams.provider(provider)!.issuer];
    return { id: hash('sha256', JSON.stringify(parts), 'base64url'), userId, issuer };
  }

  /** Finds an entry, with one statement. After `secret` was rotated, the tokens are encrypted again once. */
  async find(id: string): Promise<VaultEntry | undefined> {
    const stored = await this.model.findUpstreamTokens(id);
    const entry = stored && this.read(stored);
    return entry && ((await this.encryptAgain(entry)) ?? entry);
  }

  /** Adds an entry. Returns `true` for exactly one of several concurrent callers. */
  async add(key: UpstreamTokensKey, entry: NewEntry): Promise<boolean> {
    return this.model.addUpstreamTokens(key, { data: this.textOf(key, entry), lifetime: ENTRY_LIFETIME });
  }

  /**
   * Changes an entry, if it was not changed since it was found. With `tokens`, its lifetime begins again.
   * @returns the changed entry, or `undefined` if it was changed before
   */
  async replace(entry: VaultEntry, changes: EntryChanges): Promise<VaultEntry | undefined> {
    return this.replaceWith(entry, this.changed(entry, changes));
  }

  /** Returns the text of an entry with changes, for `replaceWith()`. */
  changed({ stored }: VaultEntry, { tokens, ...state }: EntryChanges): { data: string; lifetime?: number } {
    const record = { ...(JSON.parse(stored.data) as EntryRecord), ...state };
    if (tokens === undefined) return { data: JSON.stringify(record) };
    return { data: this.textOf(stored, { ...record, tokens }), lifetime: ENTRY_LIFETIME };
  }

  /** Replaces the text of an entry, if it was not changed since it was found. */
  async replaceWith(
    { stored, remaining }: VaultEntry,
    to: { data: string; lifetime?: number },
  ): Promise<VaultEntry | undefined> {
    if (!(await this.model.replaceUpstreamTokens(stored, to))) return undefined;
    return this.read({ ...stored, data: to.data, expiresIn: to.lifetime ?? remaining });
  }

  async remove(id: string): Promise<boolean> {
    return this.model.removeUpstreamTokens(id);
  }

  async list(user: User): Promise<VaultEntry[]> {
    const { issuer } = this.upstreams.server.options;
    const all = await this.model.listUpstreamTokens({ userId: String(user['id']), issuer: issuer! });
    const entries = all.map((stored) => this.read(stored));
    // The entries of a provider that was removed, and those of users of another realm, have other keys.
    return entries.filter(({ stored, state: { provider } }) => {
      const isKnown = this.upstreams.provider(provider) !== undefined;
      return isKnown && this.keyOf(user, provider).id === stored.id;
    });
  }

  private read(stored: StoredUpstreamTokens): VaultEntry {
    const { tokens, ...state } = JSON.parse(stored.data) as EntryRecord;
    const { text, isNewest = true } = this.encryption.open(tokens, ownerOf(stored, state)) ?? {};
    return new VaultEntry(stored, state, text === undefined ? undefined : (JSON.parse(text) as VaultTokens), isNewest);
  }

  private textOf(key: UpstreamTokensKey, { tokens, ...state }: NewEntry): string {
    const encrypted = this.encryption.encrypt(JSON.stringify(tokens), ownerOf(key, state));
    return JSON.stringify({ ...state, tokens: encrypted } satisfies EntryRecord);
  }

  /** Encrypts the tokens of an entry with the newest secret. `undefined` if they already are, or the entry was changed. */
  private async encryptAgain(entry: VaultEntry): Promise<VaultEntry | undefined> {
    const { stored, state, tokens, isNewest } = entry;
    if (isNewest || !tokens) return undefined;
    return this.replaceWith(entry, { data: this.textOf(stored, { ...state, tokens }) });
  }

  private get model(): UpstreamTokenModel {
    return this.upstreams.server.options.model as object as UpstreamTokenModel;
  }
}

/** Returns what the tokens of an entry belong to. They cannot be decrypted for anything else. */
const ownerOf = ({ issuer, userId, id }: UpstreamTokensKey, { iss, sub }: Pick<EntryState, 'iss' | 'sub'>): string =>
  JSON.stringify([issuer, userId, iss, sub, id]);
