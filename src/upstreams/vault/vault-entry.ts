import type { StoredUpstreamTokens } from '../../../lib/index.js';

/** Milliseconds after the last token response at which an entry expires: 400 days. */
export const ENTRY_LIFETIME = 400 * 86_400_000;

/** The tokens of a provider. They are stored encrypted. */
export interface VaultTokens {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly idToken?: string | undefined;
  /** The granted scope, separated by spaces. */
  readonly scope: string;
  /**
   * The milliseconds that remain until the entry expires when the access token does. So both are measured by the clock
   * of the database. `undefined` if the access token does not expire.
   */
  readonly expiresWith?: number | undefined;
}

/** Why the user must connect a provider again. */
export type ReconnectReason = 'refused' | 'lost' | 'unreadable' | 'otherUser';

/** The data of an entry that are stored as plain text. */
export interface EntryState {
  /** The name of the provider in the option `providers`. */
  readonly provider: string;
  readonly iss: string;
  readonly sub: string;
  /** A random text for each token response that was stored. */
  readonly version: string;
  /** Why the user must connect the provider again. `undefined` while the tokens can be used. */
  readonly reconnect?: ReconnectReason | undefined;
  /** The process that refreshes the tokens, and the remaining milliseconds of the entry at which its lease expires. */
  readonly lease?: { readonly owner: string; readonly until: number } | undefined;
  /** Whether the provider may have received a refresh request whose response was not stored. */
  readonly isInDoubt?: boolean | undefined;
  /** The remaining milliseconds of the entry until which no refresh is tried, because the provider is unavailable. */
  readonly pausedUntil?: number | undefined;
}

/** The changes of an entry. */
export type EntryChanges = Partial<EntryState> & { readonly tokens?: VaultTokens };

/** The tokens of a provider for one user, as they were read. */
export class VaultEntry {
  /** When the entry was read, by a clock that only moves forward. */
  private readonly readAt = performance.now();

  constructor(
    readonly stored: StoredUpstreamTokens,
    readonly state: EntryState,
    /** `undefined` if they were encrypted with an unknown secret. */
    readonly tokens: VaultTokens | undefined,
    /** Whether the newest secret encrypted the tokens. */
    readonly isNewest: boolean,
  ) {}

  /** The milliseconds until the entry expires, by the clock of the database. All other times are measured by it. */
  get remaining(): number {
    return this.stored.expiresIn - (performance.now() - this.readAt);
  }

  /** Why the user must connect the provider again. `undefined` while the tokens can be used. */
  get reconnect(): ReconnectReason | undefined {
    return this.tokens ? this.state.reconnect : 'unreadable';
  }

  /** Milliseconds for which the access token is valid. `Infinity` if it does not expire. */
  get validity(): number {
    const { expiresWith } = this.tokens ?? {};
    return expiresWith === undefined ? Infinity : this.remaining - expiresWith;
  }

  /** Milliseconds for which a process may refresh the tokens. `0` or less if none does. */
  get leaseLeft(): number {
    const { lease } = this.state;
    return lease ? this.remaining - lease.until : 0;
  }

  /** Milliseconds for which no refresh is tried. `0` or less if it may be tried. */
  get pauseLeft(): number {
    const { pausedUntil } = this.state;
    return pausedUntil === undefined ? 0 : this.remaining - pausedUntil;
  }

  /** Whether the entry belongs to this user of the provider. */
  isOf({ iss, sub }: { readonly iss: string; readonly sub: string }): boolean {
    return this.state.iss === iss && this.state.sub === sub;
  }
}

/** Returns the values of a scope. Some providers separate them by commas. */
export const valuesOf = (scope: string): readonly string[] => scope.split(/[\s,]+/).filter((value) => value !== '');

/** Returns the values of several scopes, each once, separated by spaces. */
export const unionOf = (...scopes: readonly string[]): string => [...new Set(scopes.flatMap(valuesOf))].join(' ');

/** Whether a granted scope contains all values of a required one. */
export function covers(granted: string, required: string): boolean {
  const values = valuesOf(granted);
  return valuesOf(required).every((value) => values.includes(value));
}
