import { AccessToken, CurrentUser, OAuth2Module, OAuthClient, type Token } from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';

/** One transport: a host that is running, and a client of it. */
export interface Driver {
  /** Asks for the notes as a client would, and says what came of it. */
  ask(token?: string): Promise<string>;
  /** Opens what stays open; `ended` says how it ended. */
  open?(token: string): Promise<{ ended: Promise<string> }>;
  stop(): Promise<unknown>;
}

export type Start = (store: MemoryStore) => Promise<Driver>;

const client = { id: 'app', secret: 's', grants: ['password'], scopes: ['notes:read', 'other'] };
const alice = { id: 'alice' };

const IN_AN_HOUR = 3_600_000;

/** A store that knows these tokens: `good`, `expired` and `other`, which has another scope. */
export async function storeWithTokens(): Promise<MemoryStore> {
  const users = { findById: () => alice, findByCredentials: () => alice };
  const store = new MemoryStore({ clients: [client], users });
  await saveToken(store, 'good');
  await saveToken(store, 'expired', { expiresIn: -1000 });
  await saveToken(store, 'other', { scope: 'other' });
  return store;
}

export async function saveToken(
  store: MemoryStore,
  accessToken: string,
  { expiresIn = IN_AN_HOUR, scope = 'notes:read' } = {},
) {
  const accessTokenExpiresAt = new Date(Date.now() + expiresIn);
  const token = { accessToken, accessTokenExpiresAt, scope, grantId: `grant of ${accessToken}` };
  await store.saveToken(token, client, alice);
}

/** What a handler says that has been given everything by the decorators. */
export const reported = (user: string, app: string, token: Token) => `${user} by ${app}, ${token.scope as string}`;

/** The same parameters on every transport. */
export const parameters = [CurrentUser('id'), OAuthClient('id'), AccessToken()] as const;

/** Puts those parameters before the others of a method. */
export const GivenAll: MethodDecorator = (target, method) =>
  parameters.forEach((decorate, index) => decorate(target, method, index));

export const oauth = (store: MemoryStore) => OAuth2Module.forRoot({ model: store, controllers: false, isGlobal: true });

/** Resolves once, to the first of what is told. */
export function firstOf<T>(): { told: Promise<T>; tell(value: T): void } {
  let tell!: (value: T) => void;
  const told = new Promise<T>((resolve) => (tell = resolve));
  return { told, tell };
}
