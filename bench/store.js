import { MemoryModel } from './model.js';
import { client } from './fixtures.js';

/** The model of one candidate, with what a run puts into it in the form that the candidate keeps. */
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
