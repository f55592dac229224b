import type { MetadataClient } from '../../clients/registration/client-from-metadata.js';
import { isRegisteredId } from '../../clients/registration/client-id.js';
import type {
  Registration,
  RegistrationCredentials,
  RegistrationModel,
} from '../../features/registration/registration-model.js';
import { constantTimeEqual } from '../../crypto/constant-time-equal.js';
import { digest } from './client-secret.js';
import { changedClient, isDisabled } from './managed-client.js';
import type { StoredClient } from '../contract/ports.js';
import { declaredFields, newRegisteredClient, withSecret } from './registered-client.js';
import { withoutSecrets } from './rows.js';
import type { StoreContext } from './store-context.js';
import { verifyClient } from './verify-client.js';
import type { UnusedClients } from './unused-clients.js';

/** Maximum number of attempts to change a client while concurrent requests change it too. */
const ATTEMPTS = 50;

/** The part of a store for dynamic client registration. RFC 7591, RFC 7592 */
export class Registrations implements RegistrationModel<StoredClient & MetadataClient> {
  constructor(
    private readonly context: Pick<StoreContext, 'storage' | 'secrets' | 'overridable' | 'requireStoredClients'>,
    private readonly unusedClients: UnusedClients,
  ) {}

  /**
   * Saves a client that has registered itself. If `expiresAt` is set, the client expires at that time, unless a code or
   * token is issued to it before.
   */
  async saveRegistration(registration: Registration, credentials: RegistrationCredentials): Promise<void> {
    const client = newRegisteredClient(registration, credentials, this.context.secrets.encryption);
    const { expiresAt } = registration;
    if (expiresAt) await this.unusedClients.save(client, expiresAt);
    else await this.context.overridable.createClient(client);
  }

  /**
   * Returns a dynamically registered client for its registration access token. Returns `undefined` if the client does
   * not exist or is disabled, or the token is wrong. RFC 7592 §2.1
   */
  async getRegistration(
    clientId: string,
    registrationAccessToken: string,
  ): Promise<Registration<StoredClient & MetadataClient> | undefined> {
    const client = isRegisteredId(clientId)
      ? ((await this.unusedClients.find(clientId)) ?? (await this.context.storage.findClient(clientId))?.client)
      : undefined;
    const { issuedAt, tokenHash } = client?.registration ?? {};
    if (!client || isDisabled(client) || !tokenHash || !constantTimeEqual(tokenHash, digest(registrationAccessToken))) {
      return undefined;
    }
    const { expiresIfUnusedAt, ...known } = withoutSecrets(client);
    const registration = { client: known as StoredClient & MetadataClient, issuedAt: new Date(issuedAt!) };
    return expiresIfUnusedAt === undefined ? registration : { ...registration, expiresAt: new Date(expiresIfUnusedAt) };
  }

  /**
   * Replaces the metadata of a dynamically registered client, and its secret if a new one is passed. Returns `false` if
   * the client does not exist. RFC 7592 §2.2
   */
  async updateRegistration(registration: Registration, { clientSecret }: RegistrationCredentials): Promise<boolean> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const isChanged = await this.unusedClients.change(registration, clientSecret);
      if (isChanged === undefined) return this.changeSaved(registration.client, clientSecret);
      if (isChanged) return true;
    }
    throw new Error(`Gave up updating the client after ${ATTEMPTS} conflicting writes`);
  }

  /** Removes a dynamically registered client and revokes its grants. RFC 7592 §2.3 */
  async revokeRegistration({ client: { id } }: Registration): Promise<void> {
    await this.context.overridable.removeClient(id);
  }

  /**
   * Changes a saved client, or an unused one that is being moved to the saved clients. Returns `false` if it does not
   * exist.
   */
  private async changeSaved(client: MetadataClient, secret: string | undefined): Promise<boolean> {
    await this.unusedClients.promote(client.id);
    return this.context.requireStoredClients().change(client.id, (record) => {
      const to = changedClient(record.client, declaredFields(client));
      verifyClient(to);
      const { encryption } = this.context.secrets;
      return { client: secret === undefined ? to : withSecret(to, secret, { now: record.readAt, encryption }) };
    });
  }
}
