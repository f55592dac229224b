import { clientItself } from '../../tokens/client-subject.js';
import type {
  DeviceAuthorization,
  DeviceAuthorizationModel,
  DeviceDecision,
  NewDeviceAuthorization,
} from '../../features/device-authorization/device-model.js';
import type { Token, Unsaved, User } from '../../model/model.js';
import { newGrantId } from '../../tokens/opaque.js';
import { digest } from '../clients/client-secret.js';
import { hasCurrentPassword, type PasswordMarked } from '../clients/password-mark.js';
import { clientFromSnapshot, type ClientSnapshot, snapshotOf } from '../clients/client-snapshot.js';
import type { Grants } from './grants.js';
import type { StoredClient } from '../contract/ports.js';
import { dataOf, withCurrentScopes, grantRow, tokenRows, rowOf, withoutSecrets } from '../clients/rows.js';
import type { StoreContext } from '../clients/store-context.js';
import type { StoredRow } from '../contract/storage.js';

/**
 * Milliseconds for which a device code stays stored after it expired, so that a polling device gets `expired_token`.
 */
const REMEMBERED = 600_000;
/**
 * Maximum number of attempts to store the decision of a user, since concurrent polls of the device may change the row.
 */
const ATTEMPTS = 20;

/** The stored data of a device code. Only the store reads it. */
interface DeviceState {
  expiresAt: number;
  interval: number;
  isDenied?: true;
  decision?: string;
}

type StoredDeviceData = Record<string, unknown> & { device: DeviceState } & ClientSnapshot & PasswordMarked;
type StoredDevice = DeviceAuthorization<StoredClient>;

/**
 * The part of a store that stores device authorizations. Each is a row of a grant without a user, found by its device
 * code or its user code. The decision of a user moves the row to a grant of this user. RFC 8628
 */
export class DeviceCodes implements DeviceAuthorizationModel<StoredClient> {
  constructor(
    private readonly context: Pick<StoreContext, 'storage' | 'users' | 'overridable'>,
    private readonly grants: Grants,
  ) {}

  /** Saves a device code and its user code. */
  async saveDeviceAuthorization(
    { deviceCode, userCode, expiresAt, interval, ...properties }: NewDeviceAuthorization,
    client: StoredClient,
  ): Promise<void> {
    const grant = grantRow('tokens', properties, client, clientItself(client));
    const device = rowOf(grant, 'device', deviceCode, new Date(expiresAt.getTime() + REMEMBERED));
    device.data = dataOf(properties, {
      ...snapshotOf(client),
      device: { expiresAt: expiresAt.getTime(), interval } satisfies DeviceState,
    });
    const userCodeRow = rowOf(grant, 'user_code', userCode, expiresAt);
    userCodeRow.data = JSON.stringify({ device: device.digest });
    await this.context.storage.save(grant, [device, userCodeRow]);
  }

  /**
   * Returns a device authorization by its device code, also if it was denied or used. Returns `undefined` if it is
   * unknown or its grant was revoked.
   */
  async getDeviceAuthorization(deviceCode: string): Promise<StoredDevice | undefined> {
    const row = await this.context.storage.find('device', digest(deviceCode));
    return row && (await this.read(row));
  }

  /** Finds a device authorization by its user code. */
  async getDeviceAuthorizationByUserCode(userCode: string): Promise<StoredDevice | undefined> {
    const userCodeRow = await this.context.storage.find('user_code', digest(userCode));
    if (!userCodeRow) return undefined;
    const { device } = JSON.parse(userCodeRow.data!) as { device: string };
    const row = await this.context.storage.find('device', device);
    return row && (await this.read(row));
  }

  /**
   * Stores the decision of a user about a device authorization. Returns `true` for exactly one of several concurrent
   * callers, and `false` if it was already decided.
   */
  async decideDeviceAuthorization(
    { id }: Pick<StoredDevice, 'id'>,
    { user, scope, data }: DeviceDecision,
  ): Promise<boolean> {
    // A random marker makes identical concurrent decisions distinguishable.
    const decision = newGrantId();
    let to: Partial<StoredRow> = {};
    const marked =
      user && this.context.users.credentialOf ? await this.grants.marked<PasswordMarked>({}, user) : undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const row = await this.context.storage.find('device', id);
      if (!row || row.revokedAt !== null || row.userId !== null) return false;
      const { device, ...properties } = JSON.parse(row.data!) as StoredDeviceData;
      if (device.isDenied) return false;
      if (user && !to.grantId) {
        const client = clientFromSnapshot(row) ?? { id: row.clientId, grants: [] };
        const grant = grantRow(
          'tokens',
          { scope: scope ?? '', ...(row.issuer !== null && { issuer: row.issuer }), ...marked },
          client,
          user,
        );
        grant.expiresAt = row.expiresAt;
        await this.context.storage.save(grant, []);
        to = { grantId: grant.id, userId: grant.userId, scope: grant.scope };
      }
      const decided = { ...device, decision, ...(!user && { isDenied: true }) };
      const next = JSON.stringify({ ...properties, ...data, ...marked, device: decided });
      if (await this.context.storage.update(row, { ...row, ...to, data: next })) return true;
    }
    return false;
  }

  /**
   * Stores a longer polling interval. Returns `false` if the device authorization was changed by a concurrent request,
   * so nothing was stored. RFC 8628 §3.5
   */
  async slowDownDevice({ id }: Pick<StoredDevice, 'id'>, interval: number): Promise<boolean> {
    const row = await this.context.storage.find('device', id);
    if (!row || row.revokedAt !== null) return false;
    const { device, ...properties } = JSON.parse(row.data!) as StoredDeviceData;
    const data = JSON.stringify({ ...properties, device: { ...device, interval } });
    return device.interval < interval && (await this.context.storage.update(row, { ...row, data }));
  }

  /** Marks a device code as used. Returns `true` for exactly one of several concurrent callers. */
  async revokeDeviceCode({ id }: Pick<StoredDevice, 'id'>): Promise<boolean> {
    return this.context.storage.consume('device', id);
  }

  /**
   * Marks a device code as used and saves the token that is issued for it, in one step.
   * @returns the token for exactly one of several concurrent callers, otherwise `undefined`
   */
  async redeemDeviceCode(
    { id }: Pick<StoredDevice, 'id'>,
    token: Unsaved<Token>,
    client: StoredClient,
    user: User,
  ): Promise<Token<StoredClient> | undefined> {
    const prepared = await this.grants.prepare(token, client);
    const marked = this.context.users.credentialOf
      ? { ...prepared, credential: await this.credentialOf(id) }
      : prepared;
    const { grant, rows } = tokenRows(marked, client, user);
    const isFirst = await this.context.storage.consumeAndSave({ kind: 'device', digest: id }, grant, rows);
    return isFirst ? { client, user, ...token } : undefined;
  }

  /** Returns the password mark that was stored with the decision. The user's password may have changed since then. */
  private async credentialOf(id: string): Promise<string | undefined> {
    const row = await this.context.storage.find('device', id);
    return row ? (JSON.parse(row.data!) as PasswordMarked).credential : undefined;
  }

  /** Returns the device authorization that a row stores, or `undefined` if its client or user no longer exists. */
  private async read(row: StoredRow): Promise<StoredDevice | undefined> {
    const { digest: id, userId, scope, grantId, issuer, revokedAt, revokedAgo } = row;
    const client = await this.context.overridable.clientOf(row);
    const user = userId === null ? undefined : await this.context.users.findById(userId);
    if (!client || (userId !== null && !(user && hasCurrentPassword(this.context.users, user, row)))) return undefined;
    const { device, describedClient: _, credential: __, ...properties } = JSON.parse(row.data!) as StoredDeviceData;
    const authorization: StoredDevice = {
      ...properties,
      id,
      client: withoutSecrets(client),
      expiresAt: new Date(device.expiresAt),
      interval: device.interval,
    };
    if (scope !== null) authorization.scope = scope;
    if (issuer !== null) authorization.issuer = issuer;
    if (device.isDenied) authorization.isDenied = true;
    if (revokedAt !== null) authorization.revokedAt = new Date(revokedAt);
    if (revokedAgo !== undefined) authorization.revokedAgo = revokedAgo / 1000;
    return user ? (withCurrentScopes({ ...authorization, user, grantId }) as StoredDevice) : authorization;
  }
}
