import type { UpstreamUse } from '../providers/provider.js';

/** The facts about a verified sign-in at a provider, before the server stores anything. */
export interface LinkingFacts {
  /** Whether the browser began to sign in, or to link the provider to the account of the signed-in user. */
  readonly intent: 'signIn' | 'link';
  readonly use: UpstreamUse;
  /** The ID of the user to whom the identity (`iss` and `sub`) belongs. `undefined` for a new identity. */
  readonly owner: string | undefined;
  /** The account with the address that the provider has proven. `undefined` without such an account or proof. */
  readonly emailOwner: { readonly isVerified: boolean } | undefined;
  /** The user who began to link, if that user is still signed in in this browser with a recent login. */
  readonly linkTo: LinkingUser | undefined;
}

/** The signed-in user who links a provider. */
export interface LinkingUser {
  readonly id: string;
  /** Whether the address of the account is verified, or the account has none. */
  readonly isVerified: boolean;
  /** The result of `mayLink()` of the application. */
  readonly isAllowed: boolean;
}

/** Why a sign-in or a link is refused. */
export type LinkingRefusal =
  'linkOnly' | 'signInOnly' | 'emailInUse' | 'notFresh' | 'otherAccount' | 'unverifiedAccount' | 'notAllowed';

/**
 * The result of a verified sign-in. `release`: the address of an account that nobody has verified is taken from it,
 * and a new account is created.
 */
export type LinkingDecision =
  'signIn' | 'create' | 'release' | 'link' | 'isLinked' | { readonly refusal: LinkingRefusal };

/**
 * Decides what happens to a verified sign-in at a provider. Nothing else decides it. The identity alone finds an
 * account, never its address: equal addresses never merge accounts.
 */
export const decideLinking = (facts: LinkingFacts): LinkingDecision =>
  facts.intent === 'link' ? decideLink(facts) : decideSignIn(facts);

function decideSignIn({ use, owner, emailOwner }: LinkingFacts): LinkingDecision {
  if (use === 'link') return { refusal: 'linkOnly' };
  if (owner !== undefined) return 'signIn';
  if (!emailOwner) return 'create';
  // An attacker may have created the account with the address of this user, and knows its password (pre-hijacking).
  return emailOwner.isVerified ? { refusal: 'emailInUse' } : 'release';
}

function decideLink({ use, owner, linkTo }: LinkingFacts): LinkingDecision {
  // A user may give further consent for an identity of the account at every provider.
  if (linkTo && owner === linkTo.id) return 'isLinked';
  if (use === 'signIn') return { refusal: 'signInOnly' };
  if (!linkTo) return { refusal: 'notFresh' };
  if (owner !== undefined) return { refusal: 'otherAccount' };
  if (!linkTo.isVerified) return { refusal: 'unverifiedAccount' };
  return linkTo.isAllowed ? 'link' : { refusal: 'notAllowed' };
}
