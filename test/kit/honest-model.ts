import { setImmediate as tick } from 'node:timers/promises';

import type { DeviceAuthorization, DeviceDecision, NewDeviceAuthorization, PushedRequest } from 'nest-oauth2/features';
import type { AuthorizationCode, Client, Model, RefreshToken, Token, Unsaved, User } from 'nest-oauth2/server';
import type { Subject } from 'nest-oauth2/testing';

export const USER = { id: 'u-1', username: 'Zoë 漢字', password: 'Correct Horse' };
export const GRANTS = ['authorization_code', 'client_credentials', 'password', 'refresh_token'];

const client = (id: string): Client => ({ id, grants: GRANTS, redirectUris: ['https://app.example/callback'] });
const SECRETS: Readonly<Record<string, string>> = { 'Web-App': 'Secret of the App', tv: 'Secret of the Television' };

type HonestDevice = DeviceAuthorization & { userCode: string };

/** A code or token, whose family may be over. */
type Row<T> = T & { client: Client; user: User; grantId?: string; revokedAt?: Date };

/** A model as a host might write it over a database: everything takes a moment, and single statements are atomic. */
export class HonestModel {
  readonly clients = new Map(Object.keys(SECRETS).map((id) => [id, { ...client(id), secret: SECRETS[id] }]));
  readonly codes = new Map<string, Row<Unsaved<AuthorizationCode>>>();
  readonly accessTokens = new Map<string, Row<Unsaved<Token>>>();
  readonly refreshTokens = new Map<string, Row<Unsaved<RefreshToken>>>();
  readonly ended = new Set<string>();
  readonly pushed = new Map<string, PushedRequest>();
  readonly devices = new Map<string, HonestDevice>();
  readonly seen = new Set<string>();

  async getClient(id: string, secret: string | null): Promise<Client | undefined> {
    await tick();
    const found = this.clients.get(id);
    return found && (secret === null || secret === found.secret) ? client(id) : undefined;
  }

  async getUser(username: string, password: string): Promise<User | undefined> {
    await tick();
    return username === USER.username && password === USER.password ? { id: USER.id } : undefined;
  }

  async getUserFromClient({ id }: Client): Promise<User | undefined> {
    return { id: `client ${id}` };
  }

  async saveAuthorizationCode(code: Unsaved<AuthorizationCode>, owner: Client, user: User): Promise<AuthorizationCode> {
    await tick();
    this.codes.set(code.authorizationCode, { ...code, client: owner, user });
    return { ...code, client: owner, user };
  }

  async getAuthorizationCode(code: string): Promise<AuthorizationCode | undefined> {
    await tick();
    return copy(this.codes.get(code));
  }

  async revokeAuthorizationCode({ authorizationCode }: { authorizationCode: string }): Promise<boolean> {
    await tick();
    return spend(this.codes.get(authorizationCode));
  }

  async saveToken(token: Unsaved<Token>, owner: Client, user: User): Promise<Token | undefined> {
    await tick();
    const row = { ...token, client: owner, user };
    if (this.ended.has(String(token['grantId']))) return undefined;
    this.accessTokens.set(token.accessToken, row);
    if (token.refreshToken) this.refreshTokens.set(token.refreshToken, { ...row, refreshToken: token.refreshToken });
    return row;
  }

  async getAccessToken(token: string): Promise<Token | undefined> {
    await tick();
    return this.alive(this.accessTokens.get(token));
  }

  async getRefreshToken(token: string): Promise<RefreshToken | undefined> {
    await tick();
    return this.alive(this.refreshTokens.get(token));
  }

  async revokeToken({ refreshToken }: { refreshToken: string }): Promise<boolean> {
    await tick();
    return spend(this.refreshTokens.get(refreshToken));
  }

  async revokeAccessToken({ accessToken }: { accessToken: string }): Promise<void> {
    await tick();
    this.accessTokens.delete(accessToken);
  }

  async savePushedRequest(request: PushedRequest): Promise<void> {
    await tick();
    this.pushed.set(request.requestUri, request);
  }

  async getPushedRequest(requestUri: string): Promise<PushedRequest | undefined> {
    await tick();
    return copy(this.pushed.get(requestUri));
  }

  async revokePushedRequest({ requestUri }: { requestUri: string }): Promise<boolean> {
    await tick();
    return this.pushed.delete(requestUri);
  }

  async saveDeviceAuthorization(begun: NewDeviceAuthorization, owner: Client): Promise<void> {
    await tick();
    this.devices.set(begun.deviceCode, { ...begun, id: begun.deviceCode, client: owner });
  }

  async getDeviceAuthorization(deviceCode: string): Promise<DeviceAuthorization | undefined> {
    await tick();
    return copy(this.devices.get(deviceCode));
  }

  async getDeviceAuthorizationByUserCode(userCode: string): Promise<DeviceAuthorization | undefined> {
    await tick();
    return copy([...this.devices.values()].find((device) => device.userCode === userCode));
  }

  async decideDeviceAuthorization({ id }: { id: string }, { user, scope }: DeviceDecision): Promise<boolean> {
    await tick();
    const device = this.devices.get(id);
    if (!device || device.user || device.isDenied || device.revokedAt) return false;
    Object.assign(device, user ? { user, scope, grantId: `of ${id}` } : { isDenied: true });
    return true;
  }

  async slowDownDevice({ id }: { id: string }, interval: number): Promise<void> {
    await tick();
    this.devices.get(id)!.interval = interval;
  }

  async revokeDeviceCode({ id }: { id: string }): Promise<boolean> {
    await tick();
    return spend(this.devices.get(id));
  }

  async once(digest: string): Promise<boolean> {
    await tick();
    return !this.seen.has(digest) && Boolean(this.seen.add(digest));
  }

  async revokeGrant(grantId: string): Promise<void> {
    await tick();
    this.ended.add(grantId);
  }

  private alive<T extends { grantId?: string }>(row: T | undefined): T | undefined {
    return row && !this.ended.has(String(row.grantId)) ? copy(row) : undefined;
  }
}

const copy = <T extends object>(row: T | undefined): T | undefined => row && { ...row };

function spend(row: { revokedAt?: Date } | undefined): boolean {
  if (!row || row.revokedAt) return false;
  row.revokedAt = new Date();
  return true;
}

/** A model beside what it knows. */
export function subject(model: Partial<Model>): Subject {
  return {
    model,
    client: { id: 'Web-App', secret: 'Secret of the App' },
    otherClient: { id: 'tv', secret: 'Secret of the Television' },
    user: USER,
    scopes: ['notes:read', 'notes:write'],
  };
}
