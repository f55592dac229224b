import type { Client, Token, Unsaved, User } from '../model/model.js';
import { MemoryStore } from '../stores/memory/index.js';
import type { StoredClient } from '../stores/ports.js';

/** What a `TestingModel` knows from the start. */
export interface TestingModelOptions {
  /** Beside the client `'testing'`, which is always there and is what `actingAs()` acts through. */
  clients?: readonly StoredClient[];
  /** Those with `username` and `password` can use the password grant. Every user you act as is known by itself. */
  users?: readonly User[];
}

const TESTING: StoredClient = { id: 'testing', grants: [] };

/** A model in memory for a host's own tests: it knows every user that a token was issued to, each as it was then. */
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
