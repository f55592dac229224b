/** The asynchronous in-memory model of all candidates. Each call has the same cost. */
export class MemoryModel {
  constructor() {
    this.clients = new Map();
    this.reset();
  }

  /** Deletes all issued codes and tokens, so that no candidate pays for the growth of an earlier block. */
  reset() {
    this.accessTokens = new Map();
    this.refreshTokens = new Map();
    this.codes = new Map();
  }

  async getClient(id, secret) {
    const client = this.clients.get(id);
    // The authorization endpoint passes `null` as the secret, because it only identifies the client.
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
    // Stored without a copy, because a copy would take a sixth of the time of a refresh.
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
    // The measured requests have a single scope, which needs no splitting.
    if (client.scopes.has(scope)) return scope;
    return wordsOf(scope).every((word) => client.scopes.has(word)) ? scope : undefined;
  }

  async verifyScope(token, scope) {
    if (token.scope === scope) return true;
    const granted = wordsOf(token.scope);
    return wordsOf(scope).every((word) => granted.includes(word));
  }
}

/** Returns the scope values of a string (version 3 of the legacy interface) or an array (version 5). */
function wordsOf(scope) {
  return typeof scope === 'string' ? scope.split(' ') : scope;
}
