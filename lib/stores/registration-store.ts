import { clientItself } from '../clients/client-itself.js';
import type { DescribedClient } from '../features/client-metadata/client-of.js';
import type { ClientIdDocumentModel } from '../features/client-id-documents/document-options.js';
import { isRegisteredId } from '../features/registration/client-id.js';
import type {
  Registration,
  RegistrationCredentials,
  RegistrationModel,
} from '../features/registration/registration-model.js';
import type { AuthorizationCode, Client, Token, Unsaved, User } from '../model/model.js';
import { isSameText } from '../same-text.js';
import { digest } from './client-secret.js';
import { ClientStore } from './client-store.js';
import { changedClient, isRetired } from './managed-client.js';
import type { StoredClient } from './ports.js';
import { changedRegistration, described, isRight, storedClient, withSecret } from './registered-client.js';
import { grantRow, rowOf, withoutSecrets } from './rows.js';
import type { ClientStorage, Found, Storage } from './storage.js';
import { verifyClient } from './verify-client.js';

/** The client that a row stands for until it is used. */
const NOBODY = { id: '', grants: [] };

/**
 * A store in which clients register themselves. One that may be forgotten is no more than a row that expires, as a code is:
 * it comes among the clients when something is given to it.
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
    const row = await this.row(client.id);
    const isWaiting = row?.revokedAt === null && !(await this.clients.findById(client.id));
    if (isWaiting) return this.changeUnused(row, registration, credentials);
    return this.kept().change(client.id, (found) => {
      const to = changedClient(found.client, described(client));
      verifyClient(to);
      const { sealing } = this.secrets;
      return { to: clientSecret === undefined ? to : withSecret(to, clientSecret, { now: found.now, sealing }) };
    });
  }

  async revokeRegistration({ client: { id } }: Registration): Promise<void> {
    await this.removeClient(id);
  }

  override async removeClient(id: string): Promise<boolean> {
    const row = isRegisteredId(id) ? await this.row(id) : undefined;
    if (row) await this.storage.revokeGrants({ grantId: row.grantId });
    return (await super.removeClient(id)) || (row !== undefined && isUnused(row));
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

  override async saveAuthorizationCode(code: Unsaved<AuthorizationCode>, client: StoredClient, user: User) {
    if (client.registeredUntil !== undefined) await this.use(client.id);
    return super.saveAuthorizationCode(code, client, user);
  }

  override async saveToken(token: Unsaved<Token>, client: StoredClient, user: User): Promise<Token<StoredClient>> {
    if (client.registeredUntil !== undefined) await this.use(client.id);
    return super.saveToken(token, client, user);
  }

  override async saveExchangedToken(...given: Parameters<ClientStore<S>['saveExchangedToken']>) {
    if (given[2].registeredUntil !== undefined) await this.use(given[2].id);
    return super.saveExchangedToken(...given);
  }

  override async redeemDeviceCode(...given: Parameters<ClientStore<S>['redeemDeviceCode']>) {
    if (given[2].registeredUntil !== undefined) await this.use(given[2].id);
    return super.redeemDeviceCode(...given);
  }

  /** Puts a client among those that stay. Whoever is revoked meanwhile stays so, and a change meanwhile counts. */
  protected async use(id: string): Promise<void> {
    const row = await this.row(id);
    if (!row || !isUnused(row)) return;
    const isFirst = await this.createClient(keptIn(row));
    await this.storage.spend('registration', digest(id));
    // From here on it is among the clients that it is changed.
    const last = await this.row(id);
    if (!last) await this.removeClient(id);
    else if (isFirst && last.data !== row.data) await this.saveClient(keptIn(last));
  }

  private async changeUnused(row: Found, to: Registration, credentials: RegistrationCredentials): Promise<boolean> {
    verifyClient(to.client);
    const changed = changedRegistration(keptIn(row), to.client, credentials.clientSecret, this.secrets.sealing);
    if (await this.storage.change(row, { ...row, data: JSON.stringify(changed) })) return true;
    // It was used meanwhile, or changed.
    return this.updateRegistration(to, credentials);
  }

  /** One that nothing was given to yet. A process may have ended before it said that it gave something: then it is known by now. */
  private async unused(id: string): Promise<StoredClient | undefined> {
    const row = await this.row(id);
    if (!row || !isUnused(row) || (await this.clients.findById(id))) return undefined;
    return { ...keptIn(row), registeredUntil: row.expiresAt };
  }

  private async row(id: string): Promise<Found | undefined> {
    return this.storage.find('registration', digest(id));
  }
}

const isUnused = ({ revokedAt, expiresAt }: Found): boolean => revokedAt === null && expiresAt > Date.now();
const keptIn = ({ data }: Found) => JSON.parse(data!) as StoredClient;
