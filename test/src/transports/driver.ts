import {
  AccessToken,
  clientItself,
  CurrentUser,
  OAuth2Module,
  OAuth2PersonalTokens,
  OAuth2Server,
  OAuthClient,
  type Token,
  type User,
} from 'nest-oauth2';
import { personalAccessTokens } from 'nest-oauth2/features';
import { MemoryStore } from 'nest-oauth2/stores/memory';

/** One transport: a running application and a client for it. */
export interface Driver {
  /**
   * Requests the notes as a client does, and describes the response.
   * @param staysOpen Whether a rejected request does not close the connection.
   */
  ask(token?: string, staysOpen?: boolean): Promise<string>;
  /** Opens a connection that stays open. `ended` describes how it was closed. */
  open?(token: string): Promise<{ ended: Promise<string> }>;
  stop(): Promise<unknown>;
}

export type Start = (store: MemoryStore) => Promise<Driver>;

const client = { id: 'app', secret: 's', grants: ['password'], scopes: ['notes:read', 'other'] };
const alice = { id: 'alice' };

const IN_AN_HOUR = 3_600_000;

/** Returns a store with the tokens `good`, `expired`, `other`, which has another scope, and `machine` without a user. */
export async function storeWithTokens(): Promise<MemoryStore> {
  const users = { findById: () => alice, findByCredentials: () => alice };
  const store = new MemoryStore({ clients: [client], users });
  await saveToken(store, 'good');
  await saveToken(store, 'expired', { expiresIn: -1000 });
  await saveToken(store, 'other', { scope: 'other' });
  await saveToken(store, 'machine', { user: clientItself(client) });
  return store;
}

export async function saveToken(
  store: MemoryStore,
  accessToken: string,
  {
    expiresIn = IN_AN_HOUR,
    scope = 'notes:read',
    user = alice,
  }: { expiresIn?: number; scope?: string; user?: User } = {},
) {
  const accessTokenExpiresAt = new Date(Date.now() + expiresIn);
  const token = { accessToken, accessTokenExpiresAt, scope, grantId: `grant of ${accessToken}` };
  await store.saveToken(token, client, user);
}

/** Returns what a handler responds with the values that the decorators inject. */
export const reported = (user: string, app: string, token: Token) => `${user} by ${app}, ${token.scope as string}`;

/** The decorators that inject the same values on every transport. */
export const parameters = [CurrentUser('id'), OAuthClient('id'), AccessToken()] as const;

/** Adds these parameters before the other parameters of a method. */
export const GivenAll: MethodDecorator = (target, method) =>
  parameters.forEach((decorate, index) => decorate(target, method, index));

const features = [personalAccessTokens({ scopes: ['notes:read', 'other'] })];

export const oauth = (store: MemoryStore) =>
  OAuth2Module.forRoot({ model: store, features, controllers: false, isGlobal: true });

/** The personal access tokens of the user. */
export const personalTokens = (store: MemoryStore) => {
  const tokens = new OAuth2PersonalTokens(new OAuth2Server({ model: store, features }));
  return {
    create: (...scopes: string[]) => tokens.create(undefined, alice, { name: 'CI', scopes }),
    revoke: (id: string) => tokens.revoke(undefined, alice, id),
  };
};

/** Returns a promise that resolves to the first reported value. */
export function firstOf<T>(): { reported: Promise<T>; tell(value: T): void } {
  let tell!: (value: T) => void;
  const received = new Promise<T>((resolve) => (tell = resolve));
  return { reported: received, tell };
}
