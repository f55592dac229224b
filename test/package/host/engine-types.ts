import { OAuth2Server, Request, Response, type Token } from 'nest-oauth2/server';
import { type ClientStorage, type Storage, Store, type StoreOptions } from 'nest-oauth2/stores';
import { MemoryStore } from 'nest-oauth2/stores/memory';

const users = { findByCredentials: () => null, findById: () => null };
const model = new MemoryStore({
  clients: [{ id: 'demo', secret: 'demo-secret', grants: ['client_credentials'] }],
  users,
});
const server = new OAuth2Server({ model });
const request = new Request({ method: 'POST', query: {}, headers: {} });
export const token: Promise<Token> = server.token(request, new Response());

// @ts-expect-error: were the types lost on the way, anything would pass.
export const wrong: number = server;

/** A store of an application with its own database. */
export class OwnStore extends Store {
  constructor(storage: Storage & ClientStorage, clients: NonNullable<StoreOptions['clients']>) {
    super(storage, { users, clients });
  }

  override async getUser(username: string, password: string) {
    return (await this.users.findByCredentials?.(username, password)) || undefined;
  }
}
