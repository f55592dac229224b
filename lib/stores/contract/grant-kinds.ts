import type { GrantKind, GrantKinds } from './storage.js';

/** What ends the grants of a kind. */
interface KindRules {
  /** The time of `revokeBefore()` before which the grants are revoked. */
  before: 'grants' | 'consents' | 'nothing';
  /** Whether `revokeGrantsOf()` revokes the grants of a user or with an ID. */
  endsWithUser: boolean;
  /** Whether the grants may belong to a client, and end with all grants of this client. */
  hasClient: boolean;
}

/**
 * The rules of each kind. Messages and sign-ins stay, so that clients are still notified of a logout. Consents come
 * first: if a storage needs several steps and stops, no client may get new tokens without asking the user.
 */
export const KIND_RULES: Readonly<Record<GrantKind, KindRules>> = {
  consent: { before: 'consents', endsWithUser: true, hasClient: true },
  tokens: { before: 'grants', endsWithUser: true, hasClient: true },
  session: { before: 'grants', endsWithUser: true, hasClient: false },
  pending_login: { before: 'grants', endsWithUser: true, hasClient: false },
  sign_in: { before: 'nothing', endsWithUser: true, hasClient: true },
  message: { before: 'nothing', endsWithUser: false, hasClient: false },
  registration: { before: 'nothing', endsWithUser: false, hasClient: false },
  account: { before: 'nothing', endsWithUser: false, hasClient: false },
  personal_token: { before: 'grants', endsWithUser: true, hasClient: true },
  upstream: { before: 'grants', endsWithUser: true, hasClient: false },
};

/** All kinds of grants. */
export const ALL_KINDS = Object.keys(KIND_RULES) as unknown as GrantKinds;

/** The kinds that `revokeGrantsOf()` revokes. An account ends only if it is deleted. */
export const USER_KINDS = ALL_KINDS.filter((kind) => KIND_RULES[kind].endsWithUser) as unknown as GrantKinds;

/** The kinds of grants that may belong to a client. */
export const CLIENT_KINDS = USER_KINDS.filter((kind) => KIND_RULES[kind].hasClient) as unknown as GrantKinds;

/** Whether the kinds are all those that a client may have, so that all grants of a client may be revoked at once. */
export const isWholeClient = (kinds: GrantKinds): boolean => CLIENT_KINDS.every((kind) => kinds.includes(kind));
