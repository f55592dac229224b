import { setImmediate as tick } from 'node:timers/promises';

import type { DeviceAuthorization, DeviceDecision, NewDeviceAuthorization, PushedRequest } from 'nest-oauth2/features';
import type { AuthorizationCode, Client, Model, RefreshToken, Session, Token, Unsaved, User } from 'nest-oauth2/server';
import type { TestSubject } from 'nest-oauth2/testing';

import { CorrectClients } from './correct-clients.js';

export const USER = { id: 'u-1', username: 'Zoë 漢字', password: 'Correct Horse' };
export { GRANTS } from './correct-clients.js';

type HonestDevice = DeviceAuthorization & { userCode: string };

/** A code or token with the state of its family. */
type Row<T> = T & {
  client: Client;
  user: User;
  grantId?: string;
  revokedAt?: Date;
  generation?: number;
  cameOf?: string;
};

/**
 * A model as an application might implement it with a database: every method is asynchronous, and single statements are
 * atomic.
 */
export class CorrectModel extends CorrectClients {
  readonly codes = new Map<string, Row<Unsaved<AuthorizationCode>>>();
  readonly accessTokens = new Map<string, Row<Unsaved<Token>>>();
  readonly refreshTokens = new Map<string, Row<Unsaved<RefreshToken>>>();
  readonly ended = new Set<string>();
  readonly pushed = new Map<string, PushedRequest>();
  readonly devices = new Map<string, HonestDevice>();
  readonly seen = new Set<string>();
  readonly sessions = new Map<string, Session>();

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
    const row = { ...token, client: owner, user, generation: this.generationOf(owner) };
    if (this.ended.has(String(token['grantId']))) return undefined;
    this.accessTokens.set(token.accessToken, row);
    if (token.refreshToken) this.refreshTokens.set(token.refreshToken, { ...row, refreshToken: token.refreshToken });
    return row;
  }

  async getAccessToken(token: string): Promise<Token | undefined> {
    await tick();
    return this.valid(this.accessTokens.get(token));
  }

  async getRefreshToken(token: string): Promise<RefreshToken | undefined> {
    await tick();
    return this.valid(this.refreshTokens.get(token));
  }

  async revokeToken({ refreshToken }: { refreshToken: string }): Promise<boolean> {
    await tick();
    return spend(this.refreshTokens.get(refreshToken));
  }

  async saveExchangedToken(of: Token | RefreshToken, token: Unsaved<Token>, owner: Client, user: User) {
    return this.saveToken({ ...token, cameOf: (of as Token).accessToken }, owner, user);
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

  async saveSession(session: Session): Promise<void> {
    await tick();
    this.sessions.set(session.sessionId, { ...session });
  }

  async getSession(sessionId: string): Promise<Session | undefined> {
    await tick();
    return copy(this.sessions.get(sessionId));
  }

  async revokeSession({ sessionId }: { sessionId: string }): Promise<boolean> {
    await tick();
    return this.sessions.delete(sessionId);
  }

  async revokeGrant(grantId: string): Promise<void> {
    await tick();
    this.ended.add(grantId);
  }

  private generationOf({ id }: Client): number {
    return this.clients.get(id)?.generation ?? -1;
  }

  private valid<T extends Row<object>>(row: T | undefined): T | undefined {
    if (!row || this.ended.has(String(row.grantId))) return undefined;
    if (row.generation !== undefined && row.generation !== this.generationOf(row.client)) return undefined;
    const isOver = row.cameOf !== undefined && !this.valid(this.accessTokens.get(row.cameOf));
    return isOver ? undefined : copy(row);
  }
}

const copy = <T extends object>(row: T | undefined): T | undefined => row && { ...row };

function spend(row: { revokedAt?: Date } | undefined): boolean {
  if (!row || row.revokedAt) return false;
  row.revokedAt = new Date();
  return true;
}

/** Returns a test subject: a model with the client and user that it knows. */
export function subject(model: Partial<Model>): TestSubject {
  return {
    model,
    client: { id: 'Web-App', secret: 'Secret of the App' },
    otherClient: { id: 'tv', secret: 'Secret of the Television' },
    user: USER,
    scopes: ['notes:read', 'notes:write'],
  };
}
