import { expectTypeOf } from 'expect-type';
import {
  type AuthorizationCode,
  type AuthorizationRequest,
  type Client,
  type ClientCredentialsModel,
  InvalidGrantError,
  type Model,
  OAuth2Server,
  type OAuthError,
  type RefreshToken,
  Request,
  Response,
  type Scope,
  type Token,
  type Unsaved,
  type User,
} from 'nest-oauth2/server';
import { type Authorization, GrantType } from 'nest-oauth2/features';

// The application’s own client and user types are kept without a cast.

interface Tenant extends Client {
  tenantId: number;
}
interface Person {
  id: number;
  email: string;
}

const tenant: Tenant = { id: 'web', grants: ['password'], redirectUris: [], tenantId: 1 };
const person: Person = { id: 1, email: 'ann@example.com' };

class HostModel implements Model<Tenant, Person> {
  readonly #tokens = new Map<string, Token<Tenant, Person>>();

  async getClient(id: string, secret: string | null): Promise<Tenant | undefined> {
    return id === tenant.id && secret !== '' ? tenant : undefined;
  }
  getUser(username: string, password: string, client: Tenant): Person | null {
    return username === password && client.tenantId === 1 ? person : null;
  }
  getUserFromClient(client: Tenant): Person {
    return { ...person, id: client.tenantId };
  }
  async saveToken(token: Unsaved<Token>, client: Tenant, user: Person): Promise<Token<Tenant, Person>> {
    const saved = { ...token, client, user };
    this.#tokens.set(saved.accessToken, saved);
    return saved;
  }
  getAccessToken(accessToken: string): Token<Tenant, Person> | undefined {
    return this.#tokens.get(accessToken);
  }
  validateScope(user: Person, client: Tenant, scope: Scope | undefined): boolean {
    return user.id === client.tenantId && scope !== undefined;
  }
}

const server = new OAuth2Server({ model: new HostModel() });
const request = new Request({ headers: {}, method: 'GET', query: {} });
const response = new Response();

expectTypeOf(server).toEqualTypeOf<OAuth2Server<Tenant, Person>>();
expectTypeOf(server.authenticate(request, response)).resolves.toEqualTypeOf<Token<Tenant, Person>>();
expectTypeOf(server.token(request, response)).resolves.toHaveProperty('client').toEqualTypeOf<Tenant>();
expectTypeOf(server.token(request, response)).resolves.toHaveProperty('user').toEqualTypeOf<Person>();
expectTypeOf(server.authorize(request, response)).resolves.toEqualTypeOf<AuthorizationCode<Tenant, Person>>();
expectTypeOf(server.readAuthorizationRequest(request, response)).resolves.toEqualTypeOf<AuthorizationRequest<Tenant>>();
expectTypeOf(server.options.model.getClient).returns.resolves.extract<Tenant>().toEqualTypeOf<Tenant>();

// Callbacks in both positions have these types too.
void server.authenticate(request, response, (error, token) => {
  expectTypeOf(error).toEqualTypeOf<OAuthError | null>();
  expectTypeOf(token).toEqualTypeOf<Token<Tenant, Person> | undefined>();
});
void server.token(request, response, {}, (_, token) => expectTypeOf(token?.user).toEqualTypeOf<Person | undefined>());
void server.authenticate(request, response, 'read', (_, token) =>
  expectTypeOf(token?.client.tenantId).toEqualTypeOf<number | undefined>(),
);

// A model may be an object, whose types are inferred from its methods.
const inferred = new OAuth2Server({
  model: {
    getClient: (id: string) => (id === 'web' ? tenant : null),
    saveToken: (token: Unsaved<Token>, client: Tenant, user: Person) => ({ ...token, client, user }),
  },
});
expectTypeOf(inferred).toEqualTypeOf<OAuth2Server<Tenant, Person>>();
const undeclared = new OAuth2Server({
  model: {
    getClient: async (id) => (id === 'web' ? tenant : null),
    getUser: async () => person,
    saveToken: async (token, client, user) => ({ ...token, client, user }),
  },
});
expectTypeOf(undeclared).toEqualTypeOf<OAuth2Server<Tenant, Person>>();

// An application without its own types uses those of the library.
declare const plain: Model;
expectTypeOf(new OAuth2Server({ model: plain }).token(request, response)).resolves.toEqualTypeOf<Token>();
expectTypeOf<Token>().toHaveProperty('client').toEqualTypeOf<Client>();
expectTypeOf<RefreshToken<Tenant, Person>>().toHaveProperty('user').toEqualTypeOf<Person>();
expectTypeOf<Person>().toExtend<User>();
expectTypeOf<Unsaved<AuthorizationCode>>().not.toHaveProperty('client');
expectTypeOf<Unsaved<AuthorizationCode>>().toHaveProperty('codeChallenge').toEqualTypeOf<string | undefined>();

// A grant type declares the model methods it needs, which are then not optional.
export class OnBehalfGrantType extends GrantType<ClientCredentialsModel<Tenant, Person>> {
  static readonly requires = ['getUserFromClient'] as const;

  async handle(_: Request, client: Tenant): Promise<Token> {
    const user = await this.model.getUserFromClient(client);
    expectTypeOf(this.model.getAccessToken).toBeNullable();
    if (!user) throw new InvalidGrantError('Invalid grant: nobody');
    const authorization: Authorization = { client, user, refreshable: true };
    return this.issueToken(authorization);
  }
}

export class ExtendsNothing {
  handle(_: Request, client: Tenant) {
    return client.tenantId === 1 && { accessToken: 'x', client, user: person };
  }
}

void server.token(request, response, { extendedGrantTypes: { a: OnBehalfGrantType, b: ExtendsNothing } });

// Invalid code does not compile.
// @ts-expect-error a model is needed
void new OAuth2Server({});
// @ts-expect-error so is getClient
void new OAuth2Server({ model: { saveToken: () => null } });
// @ts-expect-error a list is no text
void new OAuth2Server({ model: { ...plain, getClient: () => ({ id: 'web', grants: 'password' }) } });
// @ts-expect-error the option is called otherwise
void new OAuth2Server({ model: plain, accessTokenLifeTime: 1 });
// @ts-expect-error an option of token is none of authenticate
void server.authenticate(request, response, { accessTokenLifetime: 1 });
// @ts-expect-error PKCE is asked of some, all or none
void server.authorize(request, response, { requirePKCE: true });
// @ts-expect-error a grant type has a handle
void server.token(request, response, { extendedGrantTypes: { a: class {} } });
// @ts-expect-error the methods of 2.x are gone
void server.authorise;
