import { clientItself } from '../clients/client-subject.js';
import type { DescribedClient } from '../clients/registration/client-of.js';
import type { ClientIdDocumentModel } from '../features/client-id-documents/document-options.js';
import { isRegisteredId } from '../features/registration/client-id.js';
import type {
  Registration,
  RegistrationCredentials,
  RegistrationModel,
} from '../features/registration/registration-model.js';
import type { Client } from '../model/model.js';
import { isSameText } from '../crypto/constant-time-equal.js';
import { digest } from './client-secret.js';
import { ClientStore } from './client-store.js';
import { changedClient, isRetired } from './managed-client.js';
import type { StoredClient } from './ports.js';
import { changedRegistration, described, isRight, storedClient, withSecret } from './registered-client.js';
import { grantRow, rowOf, withoutSecrets } from './rows.js';
import type { ClientStorage, Found, Storage } from './storage.js';
import { verifyClient } from './verify-client.js';

/** The client of the grant that a waiting registration belongs to. */
const NOBODY = { id: '', grants: [] };
const ATTEMPTS = 50;

/**
 * A store with dynamic client registration. A client that may be forgotten waits as a row that expires, as a code does. The first
 * code or token issued to it moves it to the clients: the row is marked as used, which ends changes of it, and its last content
 * becomes the client. If a process stops between the two steps, the client is still served from the row.
 */
export class RegistrationStore<S extends Storage & ClientStorage>
  extends ClientStore<S>
  implements RegistrationModel<StoredClient & DescribedClient>, ClientIdDocumentModel
{
  /** The secrets of a client that signs with them; left out where nothing seals them. OpenID Connect Core §9 */
  readonly getClientSecrets = this.secrets.sealing.canRead
    ? async ({ id }: Client): Promise<readonly string[]> =>
        this.secrets.readable((await this.clients.findById(id)) || (await this.unused(id)) || {})
    : undefined;

  canRegister(): boolean {
    return Boolean(this.own) || this.saveRegistration !== RegistrationStore.prototype.saveRegistration;
  }

  async saveRegistration(registration: Registration, credentials: RegistrationCredentials): Promise<void> {
    const client = storedClient(registration, credentials, this.secrets.sealing);
    const { expiresAt } = registration;
    if (!expiresAt) return void (await this.createClient(client));
    verifyClient(client);
    const grant = grantRow({}, NOBODY, clientItself(NOBODY));
    const row = rowOf(grant, 'registration', client.id, expiresAt);
    row.data = JSON.stringify(client);
    await this.storage.keep(grant, [row]);
  }

  async getRegistration(clientId: string, registrationAccessToken: string) {
    const client = isRegisteredId(clientId)
      ? ((await this.unused(clientId)) ?? (await this.storage.findClient(clientId))?.client)
      : undefined;
    const { issuedAt, tokenHash } = client?.registration ?? {};
    if (!client || isRetired(client) || !tokenHash || !isSameText(tokenHash, digest(registrationAccessToken)))
      return undefined;
    const { registeredUntil, ...known } = withoutSecrets(client);
    const registration = { client: known as StoredClient & DescribedClient, issuedAt: new Date(issuedAt!) };
    return registeredUntil === undefined ? registration : { ...registration, expiresAt: new Date(registeredUntil) };
  }

  async updateRegistration(registration: Registration, credentials: RegistrationCredentials): Promise<boolean> {
    const [{ client }, { clientSecret }] = [registration, credentials];
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const row = await this.row(client.id);
      const isWaiting = row && isLiving(row) && row.revokedAt === null && !(await this.clients.findById(client.id));
      if (!isWaiting) return this.changeKept(client, clientSecret);
      if (await this.changeWaiting(row, registration, clientSecret)) return true;
    }
    throw new Error(`Gave up updating the client after ${ATTEMPTS} conflicting writes`);
  }

  async revokeRegistration({ client: { id } }: Registration): Promise<void> {
    await this.removeClient(id);
  }

  override async removeClient(id: string): Promise<boolean> {
    const row = isRegisteredId(id) ? await this.row(id) : undefined;
    if (row) await this.storage.revokeGrants({ grantId: row.grantId });
    return (await super.removeClient(id)) || (row !== undefined && isLiving(row));
  }

  /** Disables a client, also a registered client that nothing was issued to yet. */
  override async retireClient(id: string): Promise<boolean> {
    await this.use(id);
    return super.retireClient(id);
  }

  override async getClient(clientId: string, clientSecret: string | null): Promise<StoredClient | undefined> {
    const client = await super.getClient(clientId, clientSecret);
    if (client || !isRegisteredId(clientId)) return client;
    const unused = await this.unused(clientId);
    // Something may have been given to it since it was looked for.
    if (!unused) return super.getClient(clientId, clientSecret);
    const isKnown = clientSecret === null || isRight(unused, clientSecret, this.secrets.sealing);
    return isKnown ? withoutSecrets(unused) : undefined;
  }

  /** One that is known is what is known of it, and one that is retired is nobody: no document says otherwise. CIMD §7.2 */
  async mayUseClientIdDocument(clientId: string): Promise<boolean> {
    return !(await this.clients.findById(clientId));
  }

  protected override async clientOf(row: Found): Promise<StoredClient | undefined> {
    return (await super.clientOf(row)) ?? (isRegisteredId(row.clientId) ? this.unused(row.clientId) : undefined);
  }

  /** Moves a waiting client to the clients. Changes made until the row is marked as used are part of it. */
  protected override async use(id: string): Promise<void> {
    const row = isRegisteredId(id) ? await this.row(id) : undefined;
    if (!row || !isLiving(row)) return;
    const isFinal = row.revokedAt !== null;
    if (!isFinal) await this.storage.spend('registration', digest(id));
    const last = isFinal ? row : await this.row(id);
    // The storage refuses a client that was removed since the row was read.
    if (last) await this.storage.addNewClient((await this.prepared(clientIn(last), {})).to);
  }

  /** Changes a client that is among the clients, or is on its way there. @returns false if it does not exist */
  private async changeKept(client: DescribedClient, clientSecret: string | undefined): Promise<boolean> {
    await this.use(client.id);
    return this.kept().change(client.id, (found) => {
      const to = changedClient(found.client, described(client));
      verifyClient(to);
      const { sealing } = this.secrets;
      return { to: clientSecret === undefined ? to : withSecret(to, clientSecret, { now: found.now, sealing }) };
    });
  }

  /** Changes a waiting client. @returns false if it was used or changed since the row was read */
  private async changeWaiting(row: Found, { client }: Registration, clientSecret: string | undefined) {
    verifyClient(client);
    const changed = changedRegistration(clientIn(row), client, clientSecret, this.secrets.sealing);
    return this.storage.change(row, { ...row, data: JSON.stringify(changed) });
  }

  /** Returns a registered client that is not among the clients: it waits for its first use, or a process stopped during that. */
  private async unused(id: string): Promise<StoredClient | undefined> {
    const row = await this.row(id);
    if (!row || !isLiving(row) || (await this.clients.findById(id))) return undefined;
    return { ...clientIn(row), registeredUntil: row.expiresAt };
  }

  private async row(id: string): Promise<Found | undefined> {
    return this.storage.find('registration', digest(id));
  }
}

const isLiving = ({ expiresAt }: Found): boolean => expiresAt > Date.now();
const clientIn = ({ data }: Found) => JSON.parse(data!) as StoredClient;
