import type { User } from '../../lib/index.js';
import { capability } from '../../lib/internal.js';

/** The requirements for a token of another provider. */
export interface UpstreamTokenRequest {
  /** The scope that the token must have, separated by spaces. If omitted, any. */
  scope?: string;
  /**
   * Seconds for which the token must be valid at least. Default: `60`. If the provider is unavailable, or issues no such
   * token, a token that is valid for a shorter time is returned.
   */
  minValidity?: number;
}

/** A token of another provider. It is a secret of the user: never send it to a browser. */
export interface UpstreamToken {
  accessToken: string;
  /** The granted scope, separated by spaces. */
  scope: string;
  /** When the token expires, by the clock of this process. `undefined` if the provider has not set an expiry. */
  expiresAt: Date | undefined;
  /** The ID token of the latest sign-in or refresh. `undefined` if the provider issued none. */
  idToken: string | undefined;
  /** The issuer of the provider. */
  iss: string;
  /** The identifier of the user at the provider. */
  sub: string;
}

/** The stored state of the tokens of a provider. */
export interface StoredUpstream extends Pick<UpstreamToken, 'iss' | 'sub' | 'scope' | 'expiresAt'> {
  /** The name of the provider in the option `providers`. */
  provider: string;
  /** `reconnect`: the tokens cannot be used any more. The user must connect the provider again. */
  state: 'active' | 'reconnect';
  /** Why the user must connect the provider again. */
  reason: string | undefined;
  /** Whether the provider has issued a refresh token. */
  isRefreshable: boolean;
}

/** The tokens that other providers have issued for the users of one server. */
export interface UpstreamVault {
  /** Returns a valid access token. */
  token(user: User, provider: string, request?: UpstreamTokenRequest): Promise<UpstreamToken>;
  /** Sends a request with the access token. */
  fetch(user: User, provider: string, input: string | URL, init?: RequestInit): Promise<Response>;
  /** Returns the providers that have issued tokens for a user. */
  list(user: User): Promise<StoredUpstream[]>;
  /** Deletes the tokens of a user, and revokes them at the provider if it can. Returns whether there were any. */
  disconnect(user: User, provider: string): Promise<boolean>;
  /** Refreshes the tokens of a user that are valid for a shorter time, and returns their state. */
  refreshAll(user: User, request?: Pick<UpstreamTokenRequest, 'minValidity'>): Promise<StoredUpstream[]>;
}

/** The capability key of the tokens that other providers have issued. */
export const UPSTREAM_VAULT = capability<UpstreamVault>('upstream tokens', 'upstreams({ vault: true })');
