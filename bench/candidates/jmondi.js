import { AuthorizationServer, ErrorType, OAuthException, generateRandomToken } from '@jmondi/oauth2-server';
import { requiredScope, user } from '../fixtures.js';

export const title = '@jmondi/oauth2-server 4.3.7';
export const peer = true;

/** Converts a record to the names of this library, which represents scopes as objects. */
export const asKept = {
  token: ({ scope, ...token }) => ({ ...token, scopes: scopesOf(scope) }),
  code: ({ authorizationCode, scope, ...code }) => ({ ...code, code: authorizationCode, scopes: scopesOf(scope) }),
};

/** Generates opaque tokens: the identifier is used in place of a signed JWT. */
const opaque = {
  sign: async (claims) => claims.jti,
  verify: async (token) => ({ jti: token }),
  decode: (token) => ({ jti: token }),
};

export function create(model) {
  const { clients, tokens, scopes, users, codes } = repositoriesOver(model);
  const server = new AuthorizationServer(clients, tokens, scopes, opaque, {
    useOpaqueAuthorizationCodes: true,
    useOpaqueRefreshTokens: true,
    authenticateIntrospect: false,
  });
  server.enableGrantTypes('client_credentials', 'refresh_token', {
    grant: 'authorization_code',
    authCodeRepository: codes,
    userRepository: users,
  });

  return {
    authenticate: (raw) => answer(() => authenticate(server, raw)),
    token: (raw) => answer(() => server.respondToAccessTokenRequest(raw)),
    authorize: (raw) =>
      answer(async () => {
        const request = await server.validateAuthorizationRequest(raw);
        request.user = user;
        request.isAuthorizationApproved = true;
        return server.completeAuthorizationRequest(request);
      }),
  };
}

/**
 * Authenticates a resource request. The library has no such function, so that the bearer token is passed to its
 * introspection.
 */
async function authenticate(server, { headers }) {
  const match = /^Bearer ([\w\-.~+/]+=*)$/i.exec(headers.authorization ?? '');
  if (!match) throw new OAuthException('unauthorized', ErrorType.AccessDenied, undefined, undefined, 401);
  const { body } = await server.introspect({
    headers,
    query: {},
    body: { token: match[1], token_type_hint: 'access_token' },
  });
  if (!body.active) throw new OAuthException('invalid_token', ErrorType.AccessDenied, undefined, undefined, 401);
  if (!body.scope.split(' ').includes(requiredScope)) {
    throw new OAuthException('insufficient_scope', ErrorType.AccessDenied, undefined, undefined, 403);
  }
  return { status: 200, headers: { 'x-accepted-oauth-scopes': requiredScope, 'x-oauth-scopes': body.scope }, body: {} };
}

/** Throws the library's exception for a rejected request, because every candidate throws in this case. */
async function answer(operation) {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof OAuthException)) throw error;
    return { status: error.status, headers: {}, body: { error: error.errorType, error_description: error.message } };
  }
}

function repositoriesOver(model) {
  const known = new Map(['profile', 'notes:read', 'notes:write'].map((name) => [name, { name }]));

  return {
    clients: {
      getByIdentifier: async (id) => model.clients.get(id),
      isClientValid: async (grant, client, secret) => client.secret === secret && client.grants.includes(grant),
    },
    scopes: {
      getAllByIdentifiers: async (names) => names.map((name) => known.get(name)).filter(Boolean),
      finalize: async (scopes, grant, client) => scopes.filter(({ name }) => client.scopes.has(name)),
    },
    users: { getUserByCredentials: async () => user },
    tokens: {
      issueToken: async (client, scopes, owner) => ({
        accessToken: generateRandomToken(64),
        accessTokenExpiresAt: new Date(Date.now() + 3_600_000),
        client,
        user: owner,
        scopes,
      }),
      persist: async (token) => void model.accessTokens.set(token.accessToken, token),
      issueRefreshToken: async (token) => {
        token.refreshToken = generateRandomToken(64);
        token.refreshTokenExpiresAt = new Date(Date.now() + 86_400_000);
        model.refreshTokens.set(token.refreshToken, token);
        return token;
      },
      revoke: async (token) => void model.refreshTokens.delete(token.refreshToken),
      isRefreshTokenRevoked: async (token) => !model.refreshTokens.has(token.refreshToken),
      getByRefreshToken: async (refreshToken) => {
        const token = model.refreshTokens.get(refreshToken);
        if (!token) throw OAuthException.invalidParameter('refresh_token');
        return token;
      },
      getByAccessToken: async (accessToken) => model.accessTokens.get(accessToken),
    },
    codes: {
      getByIdentifier: async (code) => model.codes.get(code),
      issueAuthCode: async (client, owner, scopes) => ({ code: generateRandomToken(64), client, user: owner, scopes }),
      persist: async (code) => void model.codes.set(code.code, code),
      isRevoked: async (code) => !model.codes.has(code),
      revoke: async (code) => void model.codes.delete(code),
    },
  };
}

function scopesOf(scope) {
  return scope.split(' ').map((name) => ({ name }));
}
