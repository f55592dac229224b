import { InvalidArgumentError } from '../../errors/index.js';
import type { CredentialModel, StoredCredential } from '../../model/credentials.js';
import type { IdentityKey, IdentityModel, StoredIdentity } from '../../model/identities.js';

/** Maximum number of identities of one user. */
const MAX_IDENTITIES = 50;

/** The part of a store that stores identities at other providers. Each identity is a credential of the user's account. */
export class Identities implements IdentityModel {
  constructor(private readonly credentials: CredentialModel) {}

  async findIdentity(key: IdentityKey): Promise<StoredIdentity | undefined> {
    const found = await this.credentials.findCredential(key.realm, 'identity', keyOf(key));
    return found && identityIn(found);
  }

  async addIdentity({ realm, userId, ...identity }: StoredIdentity): Promise<boolean> {
    const account = { realm, userId };
    if ((await this.credentials.findCredentials(account, ['identity'])).length >= MAX_IDENTITIES)
      throw new InvalidArgumentError('Invalid argument: the user has too many identities');
    const data = JSON.stringify(identity);
    return this.credentials.addCredential(account, { kind: 'identity', key: keyOf(identity), data });
  }

  async removeIdentity({ userId, ...key }: IdentityKey & Pick<StoredIdentity, 'userId'>): Promise<boolean> {
    const found = await this.credentials.findCredential(key.realm, 'identity', keyOf(key));
    return found?.userId === userId && this.credentials.removeCredential(found);
  }

  async listIdentities({ realm, userId }: Pick<StoredIdentity, 'realm' | 'userId'>): Promise<StoredIdentity[]> {
    const found = await this.credentials.findCredentials({ realm, userId }, ['identity']);
    return found.map(identityIn).toSorted((one, other) => one.linkedAt - other.linkedAt);
  }
}

const keyOf = ({ iss, sub }: Omit<IdentityKey, 'realm'>): string => JSON.stringify([iss, sub]);

function identityIn({ realm, userId, data }: StoredCredential): StoredIdentity {
  return { ...(JSON.parse(data!) as Omit<StoredIdentity, 'realm' | 'userId'>), realm, userId };
}
