import { MemoryModel } from './model.js';
import { client } from './fixtures.js';

/** Creates the model of a candidate. Records are stored in the form that the candidate expects. */
export function storeFor(candidate) {
  const asKept = { token: (token) => token, code: (code) => code, ...candidate.asKept };
  const model = new MemoryModel();
  model.clients.set(client.id, client);

  return {
    model,
    addToken(token) {
      const kept = asKept.token(token);
      model.accessTokens.set(token.accessToken, kept);
      if (token.refreshToken) model.refreshTokens.set(token.refreshToken, kept);
      return token;
    },
    addCode(code) {
      model.codes.set(code.authorizationCode, asKept.code(code));
      return code;
    },
  };
}
