import { clientItself } from '../clients/client-subject.js';
import type {
  DeviceAuthorization,
  DeviceAuthorizationModel,
  DeviceDecision,
  NewDeviceAuthorization,
} from '../features/device-authorization/device-model.js';
import type { Token, Unsaved, User } from '../model/model.js';
import { newGrantId } from '../tokens/opaque.js';
import { digest } from './client-secret.js';
import { isCurrent, type Marked } from './credential.js';
import { describedClient, type Snapshot, snapshotOf } from './described-client.js';
import type { StoredClient } from './ports.js';
import { dataOf, grantable, grantRow, issuedRows, rowOf, withoutSecrets } from './rows.js';
import { GrantListStore } from './grant-list-store.js';
import type { Found, Storage } from './storage.js';

/** Milliseconds for which it is kept longer than it is good: a device is to hear that it was too late. */
const REMEMBERED = 600_000;
/** How often a decision is tried again that something else came before: a device that became slower. */
const ATTEMPTS = 20;

/** What the store itself keeps with a device code. */
interface State {
  expiresAt: number;
  interval: number;
  isDenied?: true;
  decision?: string;
}

type Kept = Record<string, unknown> & { device: State } & Snapshot & Marked;
type FoundDevice = DeviceAuthorization<StoredClient>;

/**
 * What of a store is of devices. A device code is a row on a grant that is nobody's, found too by way of the user code; the decision
 * moves it to a grant of the user, and from then on it is as any code.
 */
export abstract class DeviceStore<S extends Storage>
  extends GrantListStore<S>
  implements DeviceAuthorizationModel<StoredClient>
{
  async getUserFromClient(client: StoredClient): Promise<User> {
    return clientItself(client);
  }

  async saveDeviceAuthorization(
    { deviceCode, userCode, expiresAt, interval, ...asked }: NewDeviceAuthorization,
    client: StoredClient,
  ): Promise<void> {
    const grant = grantRow(asked, client, clientItself(client));
    const device = rowOf(grant, 'device', deviceCode, new Date(expiresAt.getTime() + REMEMBERED));
    device.data = dataOf(asked, {
      ...snapshotOf(client),
      device: { expiresAt: expiresAt.getTime(), interval } satisfies State,
    });
    const typed = rowOf(grant, 'user_code', userCode, expiresAt);
    typed.data = JSON.stringify({ device: device.digest });
    await this.storage.keep(grant, [device, typed]);
  }

  async getDeviceAuthorization(deviceCode: string): Promise<FoundDevice | undefined> {
    const row = await this.storage.find('device', digest(deviceCode));
    return row && (await this.read(row));
  }

  async getDeviceAuthorizationByUserCode(userCode: string): Promise<FoundDevice | undefined> {
    const typed = await this.storage.find('user_code', digest(userCode));
    if (!typed) return undefined;
    const { device } = JSON.parse(typed.data!) as { device: string };
    const row = await this.storage.find('device', device);
    return row && (await this.read(row));
  }

  async decideDeviceAuthorization(
    { id }: Pick<FoundDevice, 'id'>,
    { user, scope, data }: DeviceDecision,
  ): Promise<boolean> {
    // Two who decide the same are not one.
    const decision = newGrantId();
    let to: Partial<Found> = {};
    const marked = user && this.users.credentialOf ? await this.withCredential<Marked>({}, user) : undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const row = await this.storage.find('device', id);
      if (!row || row.revokedAt !== null || row.userId !== null) return false;
      const { device, ...kept } = JSON.parse(row.data!) as Kept;
      if (device.isDenied) return false;
      if (user && !to.grantId) {
        const client = describedClient(row) ?? { id: row.clientId, grants: [] };
        const grant = grantRow(
          { scope: scope ?? '', ...(row.issuer !== null && { issuer: row.issuer }), ...marked },
          client,
          user,
        );
        grant.expiresAt = row.expiresAt;
        await this.storage.keep(grant, []);
        to = { grantId: grant.id, userId: grant.userId, scope: grant.scope };
      }
      const decided = { ...device, decision, ...(!user && { isDenied: true }) };
      const next = JSON.stringify({ ...kept, ...data, ...marked, device: decided });
      if (await this.storage.change(row, { ...row, ...to, data: next })) return true;
    }
    return false;
  }

  async slowDownDevice({ id }: Pick<FoundDevice, 'id'>, interval: number): Promise<boolean> {
    const row = await this.storage.find('device', id);
    if (!row || row.revokedAt !== null) return false;
    const { device, ...kept } = JSON.parse(row.data!) as Kept;
    const data = JSON.stringify({ ...kept, device: { ...device, interval } });
    return device.interval < interval && (await this.storage.change(row, { ...row, data }));
  }

  async revokeDeviceCode({ id }: Pick<FoundDevice, 'id'>): Promise<boolean> {
    return this.storage.spend('device', id);
  }

  async redeemDeviceCode(
    { id }: Pick<FoundDevice, 'id'>,
    token: Unsaved<Token>,
    client: StoredClient,
    user: User,
  ): Promise<Token<StoredClient> | undefined> {
    const kept = this.users.credentialOf ? { ...token, credential: await this.credentialOf(id) } : token;
    const { grant, rows } = issuedRows(kept, client, user);
    const isFirst = await this.storage.consumeAndSave({ kind: 'device', digest: id }, grant, rows);
    return isFirst ? { client, user, ...token } : undefined;
  }

  /** That of the decision: a new password may have come in between. */
  private async credentialOf(id: string): Promise<string | undefined> {
    const row = await this.storage.find('device', id);
    return row ? (JSON.parse(row.data!) as Marked).credential : undefined;
  }

  private async read(row: Found): Promise<FoundDevice | undefined> {
    const { digest: id, userId, scope, grantId, issuer, revokedAt, revokedAgo } = row;
    const client = await this.clientOf(row);
    const user = userId === null ? undefined : await this.users.findById(userId);
    if (!client || (userId !== null && !(user && isCurrent(this.users, user, row)))) return undefined;
    const { device, describedClient: _, credential: __, ...kept } = JSON.parse(row.data!) as Kept;
    const found: FoundDevice = {
      ...kept,
      id,
      client: withoutSecrets(client),
      expiresAt: new Date(device.expiresAt),
      interval: device.interval,
    };
    if (scope !== null) found.scope = scope;
    if (issuer !== null) found.issuer = issuer;
    if (device.isDenied) found.isDenied = true;
    if (revokedAt !== null) found.revokedAt = new Date(revokedAt);
    if (revokedAgo !== undefined) found.revokedAgo = revokedAgo / 1000;
    return user ? (grantable({ ...found, user, grantId }) as FoundDevice) : found;
  }
}
