import { hash } from 'node:crypto';

import { consumeOnce, verifyFoundUser } from '../../lib/internal.js';
import { type GrantsModel, OAuth2Grants, type User } from '../../lib/index.js';
import { DUE_DELETIONS } from '../accounts/deletion/due-deletions.js';
import { usersFilter } from '../tenants/tenant-of.js';
import type { UpstreamProfile } from './providers/upstream-user.js';
import { decideLinking, type LinkingFacts, type LinkingUser } from './linking/decide.js';
import type { Refusal } from './refusals.js';
import type { UpstreamServer } from './upstream-server.js';

/** The result of a verified sign-in. */
export type Outcome =
  { readonly user: User; readonly action: 'signIn' | 'create' | 'link' | 'isLinked' } | { readonly refusal: Refusal };

/** The user who begins to sign in or to link. */
export interface SignInRequest {
  readonly profile: UpstreamProfile;
  readonly intent: LinkingFacts['intent'];
  /** The user who began to link, if still signed in in this browser. */
  readonly linkTo: User | undefined;
}

/** Seconds for which only one request creates an account for an identity. */
const CREATION_LOCK = 10;

/** Finds, creates or links the account of a verified sign-in, as `decideLinking()` decides. */
export async function completeSignIn(upstreams: UpstreamServer, request: SignInRequest): Promise<Outcome> {
  const { accounts, identities, realm } = upstreams;
  const { profile, intent, linkTo } = request;
  const { iss, sub } = profile;
  const owner = (await identities.findIdentity({ realm, iss, sub }))?.userId;
  const emailOwner = intent === 'signIn' && owner === undefined ? await findByEmail(upstreams, profile) : undefined;
  const decision = decideLinking({
    intent,
    use: upstreams.provider(profile.provider)!.use,
    owner,
    emailOwner: emailOwner && { isVerified: await isVerified(upstreams, emailOwner) },
    linkTo: linkTo && (await linkingUser(upstreams, linkTo, profile)),
  });
  if (typeof decision === 'object') return decision;
  if (decision === 'isLinked') return { user: linkTo!, action: decision };
  if (decision === 'signIn') return signInAs(upstreams, owner!);
  if (decision === 'link') {
    const isAdded = await identities.addIdentity(identityOf(upstreams, profile, linkTo!));
    if (!isAdded) return { refusal: 'otherAccount' };
    await accounts.onLinked?.(linkTo!, profile);
    return { user: linkTo!, action: decision };
  }
  if (!(await mayCreate(upstreams, profile))) return { refusal: 'inProgress' };
  if (decision === 'release') await release(upstreams, emailOwner!, profile.email!);
  return create(upstreams, profile);
}

/** Returns the account with the proven address of a profile. */
async function findByEmail({ accounts }: UpstreamServer, { email }: UpstreamProfile): Promise<User | undefined> {
  return (email !== undefined && (await accounts.findByEmail?.(email))) || undefined;
}

async function isVerified({ accounts }: UpstreamServer, user: User): Promise<boolean> {
  const verdict: unknown = accounts.isVerified ? await accounts.isVerified(user) : true;
  return verdict === true;
}

async function linkingUser(upstreams: UpstreamServer, user: User, profile: UpstreamProfile): Promise<LinkingUser> {
  const { accounts } = upstreams;
  const verdict: unknown = accounts.mayLink ? await accounts.mayLink(user, profile) : true;
  return {
    id: String(user['id']),
    isVerified: await isVerified(upstreams, user),
    isAllowed: verdict === true,
  };
}

async function signInAs({ accounts }: UpstreamServer, owner: string): Promise<Outcome> {
  const user = (await accounts.findById(owner)) || undefined;
  return user ? { user, action: 'signIn' } : { refusal: 'accountGone' };
}

/** Returns `true` to one of several requests that would create an account for the same identity at the same time. */
async function mayCreate({ server, realm }: UpstreamServer, { iss, sub }: UpstreamProfile): Promise<boolean> {
  const digest = hash('sha256', `upstream account ${JSON.stringify([realm, iss, sub])}`, 'base64url');
  return consumeOnce(server.options.model, digest, CREATION_LOCK);
}

async function create(upstreams: UpstreamServer, profile: UpstreamProfile): Promise<Outcome> {
  const { accounts, identities, realm } = upstreams;
  const { iss, sub } = profile;
  // Another request may have created the account before this one got the lock.
  const owner = (await identities.findIdentity({ realm, iss, sub }))?.userId;
  if (owner !== undefined) return signInAs(upstreams, owner);
  const user = verifyFoundUser(await accounts.create(profile), 'create', 'accounts') || undefined;
  if (!user) return { refusal: 'notCreated' };
  const deletions = upstreams.server.find(DUE_DELETIONS);
  if (deletions?.realm === realm) await deletions.finishEarlier(user);
  return (await identities.addIdentity(identityOf(upstreams, profile, user)))
    ? { user, action: 'create' }
    : { refusal: 'inProgress' };
}

/**
 * Takes an address from an account that has never proven it, and ends the sessions and grants of that account: whoever
 * created it must not use the address of its owner (pre-hijacking).
 */
async function release({ accounts, server }: UpstreamServer, user: User, email: string): Promise<void> {
  await accounts.releaseEmail!(user, email);
  const { revokeGrantsOf } = server.options.model as Partial<GrantsModel>;
  if (revokeGrantsOf) await OAuth2Grants.of(server).end({ userId: user['id'] as string, ...usersFilter(server) });
}

const identityOf = ({ realm }: UpstreamServer, { iss, sub, provider, name }: UpstreamProfile, user: User) => ({
  realm,
  iss,
  sub,
  provider,
  name,
  userId: String(user['id']),
  linkedAt: Date.now(),
});
