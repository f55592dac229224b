import type { User } from 'nest-oauth2';
import type { BackchannelRequest, CibaModel, UserHint } from 'nest-oauth2/openid';
import { MemoryStore, type MemoryStoreOptions, type StoredClient } from 'nest-oauth2/stores/memory';

/** The user that the suite signs in. */
export const ALICE = { id: 'alice', name: 'Alice Liddell', password: 'wonderland' };

/** How the user signs in. The suite requests this `acr`. */
export const PASSWORD = { acr: 'urn:example:password', amr: ['pwd'] };

/** The claims of the user. OpenID Connect Core §5.1 */
const CLAIMS = {
  name: ALICE.name,
  given_name: 'Alice',
  family_name: 'Liddell',
  middle_name: 'Pleasance',
  nickname: 'Ally',
  preferred_username: ALICE.id,
  profile: 'https://wonderland.example/alice',
  picture: 'https://wonderland.example/alice.png',
  website: 'https://wonderland.example',
  gender: 'female',
  birthdate: '1852-05-04',
  zoneinfo: 'Europe/London',
  locale: 'en-GB',
  updated_at: 1_700_000_000,
  email: 'alice@wonderland.example',
  email_verified: true,
  address: {
    street_address: '2 The Rabbit Hole',
    locality: 'Oxford',
    postal_code: 'OX1 1DP',
    country: 'United Kingdom',
  },
  phone_number: '+44 1865 276150',
  phone_number_verified: false,
};

const ALICE_ONLY: MemoryStoreOptions['users'] = {
  findById: (id) => id === ALICE.id && ALICE,
  findByCredentials: (name, password) => name === ALICE.id && password === ALICE.password && ALICE,
};

/** A memory store with one user. It returns the claims of this user. */
export class HostStore extends MemoryStore implements CibaModel {
  /** The backchannel request that the user has not decided yet. */
  requested: BackchannelRequest | undefined;

  constructor(clients: readonly StoredClient[], users: MemoryStoreOptions['users'] = ALICE_ONLY) {
    super({
      clients,
      encryptSecretsWith: 'a fixed secret, since this store has no real data',
      users,
    });
  }

  getClaims({ id }: User): object {
    return id === ALICE.id ? CLAIMS : {};
  }

  findHintedUser({ loginHint, idTokenHint }: UserHint) {
    return (idTokenHint?.sub ?? loginHint) === ALICE.id && ALICE;
  }

  askUser(request: BackchannelRequest): void {
    this.requested = request;
  }
}
