import { InvalidGrantError, type Token, type Unsaved } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { addCode, ALICE, CALLBACK, createTestModel, type TestModel, later, SECRET, WEB } from './model.js';

interface Row {
  revokedAt?: Date;
  grantId?: string;
}

/**
 * Creates a model that keeps consumed codes and refresh tokens with their token family. It contains an authorization
 * code.
 */
export function familyModel(): TestModel & { revoked: Set<string> } {
  const revoked = new Set<string>();
  const testModel: TestModel = createTestModel({
    revokeAuthorizationCode: ({ authorizationCode }: { authorizationCode: string }) =>
      consume(testModel.codes.get(authorizationCode)),
    revokeToken: ({ refreshToken }: { refreshToken: string }) => consume(testModel.refreshTokens.get(refreshToken)),
    revokeGrant: (grantId: string) => void revoked.add(grantId),
    saveToken(token: Row & Unsaved<Token> & { refreshToken: string }, client: typeof WEB, user: object) {
      if (revoked.has(token.grantId!)) throw new InvalidGrantError('Invalid grant: revoked');
      const saved = { ...token, client, user };
      testModel.accessTokens.set(token.accessToken, saved);
      testModel.refreshTokens.set(token.refreshToken, saved);
      return saved;
    },
    // As a database does, these methods return copies of the stored records.
    getAuthorizationCode: (code: string) => testModel.codes.has(code) && { ...testModel.codes.get(code) },
    getRefreshToken: (token: string) => testModel.refreshTokens.has(token) && { ...testModel.refreshTokens.get(token) },
  });
  addCode(testModel, { grantId: 'family', client: WEB, user: ALICE });
  return Object.assign(testModel, { revoked });
}

function consume(row: Row | undefined): boolean {
  if (!row || row.revokedAt) return false;
  row.revokedAt = new Date(Date.now());
  return true;
}

/** Creates a store that consumes a grant and saves its tokens atomically. It contains an authorization code. */
export async function memoryStore(): Promise<MemoryStore> {
  const users = { findByCredentials: () => undefined, findById: () => ALICE };
  const store = new MemoryStore({ clients: [{ ...WEB, secret: SECRET, scopes: ['read'] }], users });
  const code = { authorizationCode: 'code', expiresAt: later(), redirectUri: CALLBACK, scope: 'read' };
  await store.saveAuthorizationCode({ ...code, grantId: 'family' }, WEB, ALICE);
  return store;
}
