import { type Falsey, OAuth2Server } from 'nest-oauth2/server';

// An application written in TypeScript for oauth2-server 5.x. It compiles after its import is changed.

interface Row {
  id: string;
  scope: string[];
}

const rows = new Map<string, Row>();
const client: OAuth2Server.Client = {
  id: 'web',
  grants: ['password', 'refresh_token'],
  redirectUris: ['https://a.example'],
};
const user: OAuth2Server.User = { id: 1, name: 'Ann' };

const model: OAuth2Server.AuthorizationCodeModel & OAuth2Server.PasswordModel & OAuth2Server.RefreshTokenModel = {
  async getClient(clientId: string, clientSecret: string): Promise<OAuth2Server.Client | Falsey> {
    return clientId === client.id && clientSecret !== '' ? client : undefined;
  },
  async getUser(username: string, password: string, forClient: OAuth2Server.Client) {
    return username === password && forClient.id === client.id ? user : false;
  },
  async saveToken(token: OAuth2Server.Token, forClient: OAuth2Server.Client, forUser: OAuth2Server.User) {
    rows.set(token.accessToken, { id: forClient.id, scope: String(token.scope ?? '').split(',') });
    return { ...token, client: forClient, user: forUser };
  },
  async getAccessToken(accessToken: string): Promise<OAuth2Server.Token | Falsey> {
    const row = rows.get(accessToken);
    return row && { accessToken, accessTokenExpiresAt: new Date(), scope: row.scope, client, user };
  },
  async verifyScope(token: OAuth2Server.Token, scope: string[]): Promise<boolean> {
    return scope.every((value) => token.scope?.includes(value));
  },
  async validateScope(
    _user: OAuth2Server.User,
    _client: OAuth2Server.Client,
    scope?: string[],
  ): Promise<string[] | Falsey> {
    return scope?.filter((value) => value === 'read');
  },
  async saveAuthorizationCode(code, forClient, forUser) {
    return { ...code, client: forClient, user: forUser };
  },
  async getAuthorizationCode(): Promise<OAuth2Server.AuthorizationCode | Falsey> {
    return null;
  },
  async revokeAuthorizationCode(code: OAuth2Server.AuthorizationCode): Promise<boolean> {
    return rows.delete(code.authorizationCode);
  },
  async getRefreshToken(refreshToken: string): Promise<OAuth2Server.RefreshToken | Falsey> {
    return { refreshToken, client, user, scope: ['read'] };
  },
  async revokeToken(token: OAuth2Server.RefreshToken): Promise<boolean> {
    return rows.delete(token.refreshToken);
  },
  async validateRedirectUri(redirectUri: string, forClient: OAuth2Server.Client): Promise<boolean> {
    return forClient.redirectUris?.includes(redirectUri) ?? false;
  },
  async generateAccessToken(_client: OAuth2Server.Client, _user: OAuth2Server.User, scope: string[]): Promise<string> {
    return scope.join();
  },
};

class DeviceGrantType extends OAuth2Server.AbstractGrantType {
  async handle(request: OAuth2Server.Request, forClient: OAuth2Server.Client): Promise<OAuth2Server.Token | Falsey> {
    if (!request.body.device_code) throw new OAuth2Server.InvalidRequestError('Missing parameter: `device_code`');
    const scope = (await this.validateScope(user, forClient, this.getScope(request))) ?? [];
    const accessToken = await this.generateAccessToken(forClient, user, scope);
    return this.model.saveToken({ accessToken, accessTokenExpiresAt: this.getAccessTokenExpiresAt() }, forClient, user);
  }
}

const options: OAuth2Server.ServerOptions = {
  model,
  scopeFormat: 'array',
  scope: ['read'],
  requireClientAuthentication: { password: false },
  extendedGrantTypes: { 'urn:example:device': DeviceGrantType },
};
const server: OAuth2Server = new OAuth2Server(options);

export async function authenticate(headers: Record<string, string>): Promise<OAuth2Server.Token> {
  const request: OAuth2Server.Request = new OAuth2Server.Request({ headers, method: 'GET', query: {}, custom: true });
  const response: OAuth2Server.Response = new OAuth2Server.Response({ custom: true });
  try {
    return await server.authenticate(request, response, { scope: ['read'] });
  } catch (error) {
    if (!(error instanceof OAuth2Server.UnauthorizedRequestError)) throw error;
    const refused: OAuth2Server.UnauthorizedRequestError = error;
    throw new OAuth2Server.OAuthError(refused, { code: refused.code });
  }
}
