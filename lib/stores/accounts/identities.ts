import { randomBytes } from 'node:crypto';
import { InvalidArgumentError } from '../../errors/index.js';
import type { IdentityKey, IdentityModel, StoredIdentity } from '../../model/identities.js';
import { digest } from '../clients/client-secret.js';
import type { StoreContext } from '../clients/store-context.js';

/** The text of a key whose identity was removed. Texts cannot be deleted. */
const REMOVED = '';

/** Maximum number of identities of one user. */
const MAX_IDENTITIES = 50;

/** Maximum number of attempts to change a text that other calls change at the same time. */
const MAX_ATTEMPTS = 50;

/**
 * The part of a store that stores identities at other providers. Each identity is a text, which is changed by
 * compare-and-set. A second text lists the identities of a user. Only the first one decides.
 */
export class Identities implements IdentityModel {
  constructor(private readonly context: Pick<StoreContext, 'storage'>) {}

  async findIdentity(key: IdentityKey): Promise<StoredIdentity | undefined> {
    return parse(await this.context.storage.readText(nameOf(key)));
  }

  async addIdentity(identity: StoredIdentity): Promise<boolean> {
    const { storage } = this.context;
    const name = nameOf(identity);
    // List it first: a process that stops in between must not leave an identity that nobody can see and remove.
    await this.addToList(identity, name);
    const old = await storage.readText(name);
    // A random value makes the texts of concurrent calls for one user different, so that only one of them returns true.
    const text = JSON.stringify({ ...identity, id: randomBytes(9).toString('base64url') });
    if ((old !== undefined && old !== REMOVED) || !(await storage.replaceText(name, old, text))) return false;
    // A concurrent call that removed the identity before may have removed it from the list since.
    await this.addToList(identity, name);
    return true;
  }

  async removeIdentity(identity: IdentityKey & Pick<StoredIdentity, 'userId'>): Promise<boolean> {
    const { storage } = this.context;
    const name = nameOf(identity);
    const old = await storage.readText(name);
    if (parse(old)?.userId !== identity.userId) return false;
    if (!(await storage.replaceText(name, old, REMOVED))) return false;
    await this.changeList(identity, (names) => names.filter((one) => one !== name));
    // A concurrent call may have added the identity again.
    if (parse(await storage.readText(name))?.userId === identity.userId) await this.addToList(identity, name);
    return true;
  }

  async listIdentities(user: Pick<StoredIdentity, 'realm' | 'userId'>): Promise<StoredIdentity[]> {
    const { storage } = this.context;
    const names = parseList(await storage.readText(listNameOf(user)));
    const identities = await Promise.all(names.map(async (name) => parse(await storage.readText(name))));
    return identities.filter((one): one is StoredIdentity => one?.userId === user.userId && one.realm === user.realm);
  }

  private async addToList(user: Pick<StoredIdentity, 'realm' | 'userId'>, name: string): Promise<void> {
    await this.changeList(user, (names) => (names.includes(name) ? names : [...names, name]));
  }

  /** Changes the list of the identities of a user. */
  private async changeList(
    user: Pick<StoredIdentity, 'realm' | 'userId'>,
    change: (names: readonly string[]) => readonly string[],
  ): Promise<void> {
    const { storage } = this.context;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const old = await storage.readText(listNameOf(user));
      const names = change(parseList(old));
      if (names.length > MAX_IDENTITIES)
        throw new InvalidArgumentError('Invalid argument: the user has too many identities');
      const text = JSON.stringify(names);
      if (text === old || (await storage.replaceText(listNameOf(user), old, text))) return;
    }
    throw new Error(`Gave up changing the identities of a user after ${MAX_ATTEMPTS} conflicting writes`);
  }
}

const nameOf = ({ realm, iss, sub }: IdentityKey) => digest(`identity ${JSON.stringify([realm, iss, sub])}`);

const listNameOf = ({ realm, userId }: Pick<StoredIdentity, 'realm' | 'userId'>) =>
  digest(`identities of ${JSON.stringify([realm, userId])}`);

function parse(text: string | undefined): StoredIdentity | undefined {
  if (text === undefined || text === REMOVED) return undefined;
  const { realm, iss, sub, userId, provider, name, linkedAt } = JSON.parse(text) as StoredIdentity;
  return { realm, iss, sub, userId, provider, name, linkedAt };
}

const parseList = (text: string | undefined) =>
  text === undefined || text === '' ? [] : (JSON.parse(text) as string[]);
