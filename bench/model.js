/** The in-memory, asynchronous model that every candidate talks to: the same maps, the same cost per call. */
export class MemoryModel {
  constructor() {
    this.clients = new Map();
    this.reset();
  }

  /** Forgets what was issued, so that no candidate pays for the growth of an earlier block. */
  reset() {
    this.accessTokens = new Map();
    this.refreshTokens = new Map();
    this.codes = new Map();
  }

  async getClient(id, secret) {
    const client = this.clients.get(id);
    // The authorization endpoint only identifies a client and passes null.
    return client && (secret === null || secret === client.secret) ? client : undefined;
  }

  async getUserFromClient(client) {
    return client.user;
  }

  async getAccessToken(token) {
    return this.accessTokens.get(token);
  }

  async getRefreshToken(token) {
    return this.refreshTokens.get(token);
  }

  async getAuthorizationCode(code) {
    return this.codes.get(code);
  }

  async saveToken(token, client, user) {
    // Kept as it is: what is timed is the library, and a copy made here would be a sixth of a refresh.
    token.client = client;
    token.user = user;
    this.accessTokens.set(token.accessToken, token);
    if (token.refreshToken) this.refreshTokens.set(token.refreshToken, token);
    return token;
  }

  async saveAuthorizationCode(code, client, user) {
    code.client = client;
    code.user = user;
    this.codes.set(code.authorizationCode, code);
    return code;
  }

  async revokeToken(token) {
    return this.refreshTokens.delete(token.refreshToken);
  }

  async revokeAuthorizationCode(code) {
    return this.codes.delete(code.authorizationCode);
  }

  async validateScope(user, client, scope) {
    // One scope, as measured here, needs no splitting: what is timed is the library and not this.
    if (client.scopes.has(scope)) return scope;
    return wordsOf(scope).every((word) => client.scopes.has(word)) ? scope : undefined;
  }

  async verifyScope(token, scope) {
    if (token.scope === scope) return true;
    const granted = wordsOf(token.scope);
    return wordsOf(scope).every((word) => granted.includes(word));
  }
}

/** Version 3 of the classic interface has scopes as strings, version 5 as arrays. */
function wordsOf(scope) {
  return typeof scope === 'string' ? scope.split(' ') : scope;
}
