import { adaptModel } from '../model/adapt-model.js';
import type { Client, Model, Scope, User } from '../model/model.js';
import { OAuth2Server } from '../server/server.js';
import { scopeForModel } from '../tokens/scope.js';
import { type ClientFixture, type ContractFixtures, FixtureError, type TestSubject } from './test-subject.js';

/**
 * The model under test with its fixtures: the client, the user and the scopes that the application provides for the
 * checks.
 */
export class Fixtures {
  readonly model: Model;
  private foundClient?: Promise<Client>;
  private foundUser?: Promise<User>;

  constructor(
    readonly subject: TestSubject,
    readonly parallel = 200,
  ) {
    this.model = adaptModel(subject.model as Model);
  }

  /**
   * Returns a server with the options of the fixtures and rotation of refresh tokens. The rotation grace period is off
   * unless `more` sets it, since a retry would hide a replay.
   */
  server(model: Model = this.model, more: ContractFixtures['server'] = {}): OAuth2Server {
    return new OAuth2Server({
      ...this.subject.server,
      alwaysIssueNewRefreshToken: true,
      refreshTokenReuseInterval: 0,
      ...more,
      model,
    });
  }

  /** Returns the model under test with some methods replaced. The other methods are those of the model. */
  modelWith(methods: Partial<Model>): Model {
    return new Proxy(this.model, {
      get(model, key) {
        const value: unknown = Reflect.get(key in methods ? methods : model, key);
        return typeof value === 'function' ? (...args: unknown[]) => Reflect.apply(value, model, args) : value;
      },
    });
  }

  /**
   * The `client` of the fixtures: its ID and, if it is confidential, its secret.
   * @throws {FixtureError} If the fixtures have no client.
   */
  get fixture(): ClientFixture {
    if (this.subject.client) return this.subject.client;
    throw new FixtureError(
      'The contract kit needs a client that `getClient()` of the model finds. Return ' +
        '`client: { id, secret }` from makeModel() next to the model, or pass it as an option.',
    );
  }

  /**
   * Returns the client of the fixtures as `getClient()` of the model returns it. It is looked up only once.
   * @throws {FixtureError} If the model does not find it.
   */
  client(): Promise<Client> {
    return (this.foundClient ??= this.findClient(this.fixture));
  }

  /**
   * Returns the client of the fixtures as the model returns it.
   * @throws {FixtureError} If the client does not have this grant type.
   */
  async clientFor(grant: string): Promise<Client> {
    const client = await this.client();
    if (client.grants?.includes(grant)) return client;
    throw new FixtureError(
      `The contract kit needs a client with the grant \`${grant}\`. Add it to the \`grants\` of \`client\`.`,
    );
  }

  /**
   * Returns the user of the fixtures as `getUser()` returns it. If the model has no `getUser()` or the fixtures have no
   * username and password, returns the `user` of the fixtures without its password.
   * @throws {FixtureError} If `getUser()` does not find the user.
   */
  user(): Promise<User> {
    return (this.foundUser ??= this.findUser());
  }

  /** Returns scope values in the format that the server passes to the model. Default: the `scopes` of the fixtures. */
  scope(values: readonly string[] | undefined = this.subject.scopes): Scope | undefined {
    return scopeForModel(values, this.subject.server?.scopeFormat ?? 'string');
  }

  /**
   * The `scopes` of the fixtures as a client requests them, separated by spaces. `undefined` if the fixtures have none.
   */
  get scopeText(): string | undefined {
    return this.subject.scopes?.join(' ');
  }

  private async findClient({ id, secret }: ClientFixture): Promise<Client> {
    const client = await this.model.getClient(id, secret ?? null);
    if (client) return client;
    throw new FixtureError(
      `The model does not find \`client\` of the fixtures: \`getClient('${id}', …)\` returned nothing. Save this client, or change the fixture.`,
    );
  }

  private async findUser(): Promise<User> {
    const { username, password, ...rest } = this.subject.user ?? {};
    if (!this.model.getUser || username === undefined || password === undefined) {
      return { id: 'kit-user', ...(username === undefined ? {} : { username }), ...rest };
    }
    const user = await this.model.getUser(username, password, await this.client());
    if (user) return user;
    throw new FixtureError(
      `The model does not find \`user\` of the fixtures: \`getUser('${username}', …)\` returned nothing. Save this user, or change the fixture.`,
    );
  }
}
