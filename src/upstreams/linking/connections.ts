import { hash } from 'node:crypto';
import type { CredentialModel, StoredIdentity, User } from '../../../lib/index.js';
import { PASSWORDS } from '../../pages/login/methods.js';
import type { UpstreamServer } from '../upstream-server.js';

/** An identity of a user, as the page of connected accounts shows it. */
export interface Connection {
  /** Identifies the connection in the form. */
  readonly id: string;
  /** The name of the provider on pages. */
  readonly label: string;
  /** The name of the user at the provider. */
  readonly name: string | undefined;
  readonly linkedAt: Date;
  readonly identity: StoredIdentity;
}

/** Returns the identities of a user. */
export async function listConnections(upstreams: UpstreamServer, user: User): Promise<Connection[]> {
  const { identities, realm } = upstreams;
  const all = await identities.listIdentities({ realm, userId: String(user['id']) });
  return all.map((identity) => ({
    id: hash('sha256', JSON.stringify([identity.iss, identity.sub]), 'base64url'),
    label: upstreams.provider(identity.provider)?.label ?? new URL(identity.iss).host,
    name: identity.name,
    linkedAt: new Date(identity.linkedAt),
    identity,
  }));
}

/**
 * Removes an identity of a user, unless it is the last way to sign in.
 * @returns `false` if it is the last way to sign in. `undefined` if the user has no such identity.
 */
export async function disconnect(
  upstreams: UpstreamServer,
  user: User,
  id: string,
): Promise<Connection | false | undefined> {
  const connection = (await listConnections(upstreams, user)).find((one) => one.id === id);
  if (!connection) return undefined;
  if (!(await canSignInWithout(upstreams, user, id))) return false;
  const { identities } = upstreams;
  const { identity } = connection;
  // The tokens end first: if that fails, the user still has the connection, and can disconnect it again.
  await upstreams.vault?.end(user, identity);
  if (!(await identities.removeIdentity(identity))) return undefined;
  // Concurrent requests may have removed the other ones. Each of them then restores its own, so one is left at least.
  if (!(await canSignInWithout(upstreams, user, id))) {
    await identities.addIdentity(identity);
    return false;
  }
  // A sign-in at the same moment may have stored new tokens.
  await upstreams.vault?.end(user, identity);
  return connection;
}

/** Whether a user can sign in without one of the connections. */
async function canSignInWithout(upstreams: UpstreamServer, user: User, id: string): Promise<boolean> {
  if ((await upstreams.accounts.hasOtherSignIn?.(user)) === true) return true;
  if (await hasStoredSignIn(upstreams, user)) return true;
  const others = (await listConnections(upstreams, user)).filter((one) => one.id !== id);
  // A provider that was removed from the options, or that never signs in, is no way to sign in.
  return others.some(({ identity }) => {
    const provider = upstreams.provider(identity.provider);
    return provider !== undefined && provider.use !== 'link';
  });
}

/** Whether the model stores another credential with which a user signs in, such as a password of `accounts()`. */
async function hasStoredSignIn({ server, realm }: UpstreamServer, user: User): Promise<boolean> {
  if (!server.find(PASSWORDS)) return false;
  const model = server.options.model as object as CredentialModel;
  const account = { realm, userId: String(user['id']) };
  return (await model.findCredentials(account, ['password', 'passkey'])).length > 0;
}
