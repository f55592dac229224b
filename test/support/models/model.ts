import type { AuthorizationCode, Client, Model, RefreshToken, Token, User } from 'nest-oauth2/server';

export const SECRET = 's3cret';
export const CALLBACK = 'https://app.example/cb';
export const OTHER_CALLBACK = 'https://app.example/other?x=1';

/** A confidential client with all grants except the implicit grant. */
export const WEB: Client = {
  id: 'web',
  grants: ['authorization_code', 'client_credentials', 'password', 'refresh_token', 'urn:example:extension'],
  redirectUris: [CALLBACK, OTHER_CALLBACK],
};
/** A public native client. One of its redirect URIs is a web page. */
export const SPA: Client = {
  id: 'spa',
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: ['https://spa.example/cb', 'http://127.0.0.1/cb'],
  applicationType: 'native',
  tokenEndpointAuthMethod: 'none',
};
export const ALICE: User = { id: 'alice' };

export const later = (seconds = 3600): Date => new Date(Date.now() + seconds * 1000);
export const earlier = (seconds = 1): Date => later(-seconds);

/** The model under test and the in-memory records that it reads and writes. */
export interface TestModel {
  model: Model;
  clients: Map<string, Client>;
  codes: Map<string, AuthorizationCode>;
  accessTokens: Map<string, Token>;
  refreshTokens: Map<string, RefreshToken>;
  /** The arguments of each call of a model method, in order. */
  calls: (readonly [method: string, ...args: unknown[]])[];
}

/**
 * Creates a model that stores everything in maps. `overrides` replaces methods of the model; `undefined` removes a
 * method.
 */
export function createTestModel(overrides: Partial<Record<keyof Model, unknown>> = {}): TestModel {
  const testModel: TestModel = {
    model: undefined as never,
    clients: new Map([WEB, SPA].map((client) => [client.id, client])),
    codes: new Map(),
    accessTokens: new Map(),
    refreshTokens: new Map(),
    calls: [],
  };
  testModel.model = record({ ...methods(testModel), ...overrides } as Model, testModel.calls);
  return testModel;
}

function methods(testModel: TestModel): Model {
  return {
    getClient: (id, secret) => (secret === null || secret === SECRET ? testModel.clients.get(id) : null),
    getUser: (username, password) => (username === 'alice' && password === 'wonderland' ? ALICE : null),
    getUserFromClient: (client) => ({ id: `client:${client.id}` }),
    validateScope: (_user, _client, scope) =>
      String(scope ?? 'read')
        .split(/[ ,]/)
        .every((value) => ['read', 'write'].includes(value)),
    saveToken(token, client, user) {
      const saved = { ...token, client, user } as Token;
      testModel.accessTokens.set(saved.accessToken, saved);
      if (saved.refreshToken) testModel.refreshTokens.set(saved.refreshToken, saved as RefreshToken);
      return saved;
    },
    saveAuthorizationCode(code, client, user) {
      const saved = { ...code, client, user };
      testModel.codes.set(code.authorizationCode, saved);
      return saved;
    },
    getAccessToken: (accessToken) => testModel.accessTokens.get(accessToken),
    getAuthorizationCode: (code) => testModel.codes.get(code),
    getRefreshToken: (refreshToken) => testModel.refreshTokens.get(refreshToken),
    revokeAuthorizationCode: ({ authorizationCode }) => testModel.codes.delete(authorizationCode),
    revokeToken: ({ refreshToken }) => testModel.refreshTokens.delete(refreshToken),
  };
}

/** Returns a copy of the model that records every call of a synchronous method. */
function record(model: Model, calls: TestModel['calls']): Model {
  const entries = Object.entries(model as unknown as Record<string, unknown>).map(([name, method]) => {
    if (typeof method !== 'function' || method.constructor.name !== 'Function') return [name, method];
    const recorded = function (this: unknown, ...args: unknown[]): unknown {
      calls.push([name, ...args]);
      return method.apply(this, args);
    };
    // The library detects callback methods by the number of declared parameters.
    return [name, Object.defineProperty(recorded, 'length', { value: method.length })];
  });
  return Object.fromEntries(entries) as Model;
}

export function addCode(testModel: TestModel, properties: Partial<AuthorizationCode> = {}): string {
  const code = { authorizationCode: 'code', expiresAt: later(), redirectUri: CALLBACK, client: WEB, user: ALICE };
  testModel.codes.set('code', { ...code, scope: 'read', ...properties });
  return 'code';
}

export function addRefreshToken(testModel: TestModel, properties: Partial<RefreshToken> = {}): string {
  const token = { refreshToken: 'refresh', refreshTokenExpiresAt: later(), client: WEB, user: ALICE };
  testModel.refreshTokens.set('refresh', { ...token, scope: 'read write', ...properties });
  return 'refresh';
}

export function addAccessToken(testModel: TestModel, properties: Partial<Token> = {}): string {
  const token = { accessToken: 'access', accessTokenExpiresAt: later(), client: WEB, user: ALICE };
  testModel.accessTokens.set('access', { ...token, scope: 'read write', ...properties });
  return 'access';
}
