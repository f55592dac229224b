import { adaptModel } from '../model/adapt-model.js';
import type { Client, Model, Scope, User } from '../model/model.js';
import { OAuth2Server } from '../server/server.js';
import { scopeForModel } from '../tokens/scope.js';
import { type ClientFixture, type ContractFixtures, FixtureError, type TestSubject } from './test-subject.js';

/** The model under test, with what its host said that it knows. */
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

  /** The server of the host, over this model or a stand-in for it. Grace for retries would blur what is proven here, where it is not asked for. */
  server(model: Model = this.model, more: ContractFixtures['server'] = {}): OAuth2Server {
    return new OAuth2Server({
      ...this.subject.server,
      alwaysIssueNewRefreshToken: true,
      refreshTokenReuseInterval: 0,
      ...more,
      model,
    });
  }

  /** The model with some methods replaced. */
  modelWith(methods: Partial<Model>): Model {
    return new Proxy(this.model, {
      get(model, key) {
        const value: unknown = Reflect.get(key in methods ? methods : model, key);
        return typeof value === 'function' ? (...args: unknown[]) => Reflect.apply(value, model, args) : value;
      },
    });
  }

  /** The client as the fixtures have it. */
  get fixture(): ClientFixture {
    if (this.subject.client) return this.subject.client;
    throw new FixtureError(
      'the kit needs a client that the model knows: give `client: { id, secret }`, ' +
        'beside the model in what makeModel() returns, or as an option',
    );
  }

  /** The client as the model has it. */
  client(): Promise<Client> {
    return (this.foundClient ??= this.findClient(this.fixture));
  }

  /** The client, which must be able to use this grant. */
  async clientFor(grant: string): Promise<Client> {
    const client = await this.client();
    if (client.grants?.includes(grant)) return client;
    throw new FixtureError(`the kit needs a client with the grant \`${grant}\`: \`client\` does not have it`);
  }

  /** The user as the model knows it, or else as the fixtures have it. */
  user(): Promise<User> {
    return (this.foundUser ??= this.findUser());
  }

  /** A scope as the server hands it to this model. */
  scope(values: readonly string[] | undefined = this.subject.scopes): Scope | undefined {
    return scopeForModel(values, this.subject.server?.scopeFormat ?? 'string');
  }

  /** The scope as a client requests it. */
  get scopeText(): string | undefined {
    return this.subject.scopes?.join(' ');
  }

  private async findClient({ id, secret }: ClientFixture): Promise<Client> {
    const client = await this.model.getClient(id, secret ?? null);
    if (client) return client;
    throw new FixtureError(`the model does not find \`client\`: \`getClient('${id}', …)\` returned nothing`);
  }

  private async findUser(): Promise<User> {
    const { username, password, ...rest } = this.subject.user ?? {};
    if (!this.model.getUser || username === undefined || password === undefined) {
      return { id: 'kit-user', ...(username === undefined ? {} : { username }), ...rest };
    }
    const found = await this.model.getUser(username, password, await this.client());
    if (found) return found;
    throw new FixtureError(`the model does not find \`user\`: \`getUser('${username}', …)\` returned nothing`);
  }
}
