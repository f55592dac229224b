import { describe, expect, it } from '@jest/globals';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';

import * as fc from '../../support/environment/fast-check.js';
import {
  alteredRequest,
  failures,
  serverOptions,
  VALID_REQUEST,
  arbitraryRequest,
} from '../../support/clients/hostile-input.js';
import { addAccessToken, addCode, addRefreshToken, createTestModel, WEB } from '../../support/models/model.js';
import { withoutWarnings } from '../../support/environment/quiet.js';

const SECRET = 'CANARY-secret-4f1d';
const encoded = Buffer.from(SECRET).toString('base64');

/** The parameters that contain a secret, with a recognizable value. */
const SECRETS = {
  client_secret: SECRET,
  code: SECRET,
  code_verifier: `${SECRET}-${'x'.repeat(43)}`,
  refresh_token: SECRET,
  password: SECRET,
  access_token: SECRET,
  csrf_token: SECRET,
  state: SECRET,
  code_challenge: `${SECRET}-${'x'.repeat(43)}`,
};
const AUTHORIZATIONS = [
  `Bearer ${SECRET}`,
  `Basic ${Buffer.from(`web:${SECRET}`).toString('base64')}`,
  `Basic ${Buffer.from(`who:${SECRET}`).toString('base64')}`,
  `Basic ${encoded}`,
  SECRET,
];

/** Replaces some secrets of random requests by recognizable ones. The rest stays valid, so that requests get far. */
const bearing = (requests: fc.Arbitrary<object>) =>
  fc
    .tuple(requests, fc.subarray(Object.keys(SECRETS)), fc.constantFrom(undefined, ...AUTHORIZATIONS))
    .map(([request, names, authorization]) => {
      const planted = Object.fromEntries(names.map((name) => [name, SECRETS[name as keyof typeof SECRETS]]));
      const { body, query, headers } = request as Record<'body' | 'query' | 'headers', object>;
      const record = (value: unknown) => (typeof value === 'object' && value !== null ? value : {});
      return Object.assign({}, request, {
        body: Object.assign({}, record(body), planted),
        query: Object.assign({}, record(query), planted),
        headers: Object.assign({}, record(headers), authorization && { authorization }),
      });
    });

/** Creates a server that knows the secrets, so that requests with them are refused for other reasons. */
function hostile(given: object, failing: object, emit: (name: string, payload: object) => void): OAuth2Server {
  const testModel = createTestModel({ revokeGrant: () => true, ...failing });
  testModel.clients.set('web', { ...WEB, grants: [...WEB.grants, 'implicit'] });
  addAccessToken(testModel);
  addCode(testModel);
  addRefreshToken(testModel);
  const past = { accessToken: SECRET, authorizationCode: SECRET, refreshToken: SECRET, grantId: 'g' };
  const used = { ...past, client: WEB, user: { id: 'alice', password: SECRET }, scope: 'read' };
  testModel.accessTokens.set(SECRET, { ...used, accessTokenExpiresAt: new Date(0) });
  testModel.codes.set(SECRET, {
    ...used,
    expiresAt: new Date(Date.now() + 60_000),
    codeChallenge: SECRET.padEnd(43, 'x'),
  });
  testModel.refreshTokens.set(SECRET, { ...used, revokedAt: new Date(0) });
  return new OAuth2Server({ model: testModel.model, ...given, events: { emit } });
}

withoutWarnings();

describe('the events of random requests', () => {
  it.each([
    ['authenticate', VALID_REQUEST.authenticate],
    ['authorize', VALID_REQUEST.authorize],
    ['token', VALID_REQUEST.token],
    ['readAuthorizationRequest', VALID_REQUEST.authorize],
  ] as const)('contain no secret for the operation %s()', async (operation, right) => {
    const heard = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        bearing(fc.oneof(arbitraryRequest, alteredRequest(right))),
        serverOptions,
        failures,
        async (requested, given, failing) => {
          const events: unknown[] = [];
          const server = hostile(given, failing, (name, payload) => {
            heard.add(name);
            events.push([name, payload]);
          });
          try {
            await server[operation](new Request(requested as never), new Response());
          } catch {
            // Other tests cover the response.
          }
          expect(JSON.stringify(events)).not.toContain('CANARY');
          expect(JSON.stringify(events)).not.toContain(encoded);
        },
      ),
      { numRuns: 600 },
    );
    expect(heard.size).toBeGreaterThan(0);
  });
});
