import type { Client, Token, Unsaved, User } from '../model/model.js';
import { MemoryStore } from '../stores/memory/index.js';
import type { StoredClient } from '../stores/contract/ports.js';

/** The clients and users that a `TestingModel` has from the start. */
export interface TestingModelOptions {
  /** Clients in addition to the client `'testing'`, which always exists and which `actingAs()` uses. */
  clients?: readonly StoredClient[];
  /**
   * Users that the model finds from the start. Users with `username` and `password` can use the password grant. Users
   * of `actingAs()` need not be listed.
   */
  users?: readonly User[];
}

const TESTING: StoredClient = { id: 'testing', grants: [] };

/**
 * An in-memory model for the tests of an application. It finds every user to whom a token was issued, even if the user
 * is not listed. An access token keeps the user object it was saved with.
 */
export class TestingModel extends MemoryStore {
  private readonly known: Map<string, User>;
  private readonly actors = new Map<string, User>();

  constructor({ clients = [], users = [] }: TestingModelOptions = {}) {
    const known = new Map(users.map((user) => [String(user['id']), user]));
    super({
      clients: [TESTING, ...clients],
      users: {
        findByCredentials: (username, password) =>
          users.find((user) => user['username'] === username && user['password'] === password),
        findById: (id) => known.get(id),
      },
    });
    this.known = known;
  }

  override async getAccessToken(accessToken: string): Promise<Token<StoredClient> | undefined> {
    const token = await super.getAccessToken(accessToken);
    const user = this.actors.get(accessToken);
    return token && user ? { ...token, user } : token;
  }

  override saveToken(token: Unsaved<Token>, client: Client, user: User): Promise<Token<StoredClient>> {
    if (!this.known.has(String(user['id']))) this.known.set(String(user['id']), user);
    this.actors.set(token.accessToken, user);
    return super.saveToken(token, client, user);
  }
}
