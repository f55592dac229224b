import { validateHeaderValue } from 'node:http';

import { describe, expect, it } from '@jest/globals';
import { introspection, resourceIndicators, revocation } from 'nest-oauth2/features';
import { OAuth2Server, OAuthError, Request, Response, type Token } from 'nest-oauth2/server';

import * as fc from '../../support/environment/fast-check.js';
import {
  alteredRequest,
  CANARY,
  failures,
  serverOptions,
  arbitraryRequest,
} from '../../support/clients/hostile-input.js';
import {
  addAccessToken,
  addRefreshToken,
  ALICE,
  createTestModel,
  type TestModel,
  later,
  SECRET,
  WEB,
} from '../../support/models/model.js';
import { basic } from '../../support/clients/requests.js';
import { withoutWarnings } from '../../support/environment/quiet.js';

const SAYABLE = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const OTHER = { ...WEB, id: 'other' };
const API = 'https://api.example';
const TOKENS = ['access', 'refresh', 'other access', 'other refresh', 'unknown'];

const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: basic('web', SECRET) };
const RIGHT = TOKENS.map((token) => ({ method: 'POST', headers, query: {}, body: { token } }));

/** Values for the two parameters of these endpoints: valid and hostile ones. */
const around = (...right: unknown[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...right) },
    fc.string({ unit: fc.anyCharacter }),
    fc.anything({ maxDepth: 2 }),
    fc.constantFrom(
      'x'.repeat(100_000),
      '__proto__',
      'constructor',
      '\u{d800}',
      ['access', 'refresh'],
      '%'.repeat(9999),
    ),
  );
const more = fc.record(
  { token: around(...TOKENS), token_type_hint: around('access_token', 'refresh_token', 'urn:kind', undefined) },
  { requiredKeys: [] },
);
const sent = fc.tuple(fc.oneof(arbitraryRequest, alteredRequest(RIGHT)), more).map(([request, given]) => {
  const { method, query, body } = request as Partial<Record<'method' | 'query' | 'body', object>>;
  const whole = { query: Object.assign({}, query), body: Object.assign({}, body, given) };
  return Object.assign({}, request, { method: method || 'POST' }, whole);
});

/** Creates test fixtures with tokens of two clients and a model that may fail. */
function makeHost(failing: object): TestModel {
  const own = {
    revokeAccessToken: ({ accessToken }: Token) => testModel.accessTokens.delete(accessToken),
    mayIntrospect: undefined,
  };
  const testModel: TestModel = createTestModel({ ...own, ...failing } as object);
  addAccessToken(testModel);
  addRefreshToken(testModel);
  const others = { client: OTHER, user: { id: CANARY }, scope: CANARY };
  const [access, refresh] = ['other access', 'other refresh'];
  testModel.accessTokens.set(access, { ...others, accessToken: access, accessTokenExpiresAt: later() });
  testModel.refreshTokens.set(refresh, { ...others, refreshToken: refresh, refreshTokenExpiresAt: later() });
  return testModel;
}

const FEATURES = [revocation(), introspection(), resourceIndicators({ resources: [API], unrestricted: true })];

/** Sends a request to an endpoint. Asserts a valid response that reveals nothing, and an OAuthError if it fails. */
async function ask(testModel: TestModel, endpoint: string, request: object, given: object = {}): Promise<Response> {
  const response = new Response();
  let error: unknown;
  try {
    const server = new OAuth2Server({ model: testModel.model, ...given, features: FEATURES });
    await server.handle(endpoint, new Request(request as never), response);
  } catch (caught) {
    error = caught;
  }
  expect(error === undefined || error instanceof OAuthError).toBe(true);
  const { status, headers: answered, body } = response;
  expect(error === undefined ? [200] : [400, 401, 403, 500, 503]).toContain(status);
  for (const [name, value] of Object.entries(answered)) validateHeaderValue(name, value);
  expect(JSON.stringify([answered, body])).not.toContain(CANARY);
  const { error: code = '', error_description: description = '' } = body as Record<string, string>;
  expect([code, description].every((text) => SAYABLE.test(text))).toBe(true);
  expect(code === '').toBe(error === undefined);
  return response;
}

withoutWarnings();

describe('random requests', () => {
  it('revoke no token of another client', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(sent, serverOptions, failures, async (request, given, failing) => {
        const testModel = makeHost(failing);
        const { status, body } = await ask(testModel, 'revocation', request, given);
        expect(status === 200 ? body : {}).toEqual({});
        expect([testModel.accessTokens.has('other access'), testModel.refreshTokens.has('other refresh')]).toEqual([
          true,
          true,
        ]);
        const ended = testModel.accessTokens.size + testModel.refreshTokens.size < 4;
        seen.add(ended ? 'ended' : String((body as { error?: string }).error ?? 'nothing'));
      }),
      { numRuns: 600 },
    );
    // Verifies that the random requests reach different parts of the code.
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'ended',
        'nothing',
        'invalid_grant',
        'invalid_request',
        'invalid_client',
        'server_error',
      ]),
    );
  });

  it('reveal no token of another client by introspection, and none without client authentication', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(sent, serverOptions, failures, async (request, given, failing) => {
        const testModel = makeHost(failing);
        const { status, body } = await ask(testModel, 'introspection', request, given);
        const { active, client_id: id, error } = body as Record<string, unknown>;
        const isAnswered = status === 200 && active !== true;
        expect([isAnswered ? body : { active: false }, active === true ? id : 'web']).toEqual([
          { active: false },
          'web',
        ]);
        expect([testModel.accessTokens.size, testModel.refreshTokens.size]).toEqual([2, 2]);
        seen.add(String(active ?? error));
      }),
      { numRuns: 600 },
    );
    expect([...seen]).toEqual(
      expect.arrayContaining(['true', 'false', 'invalid_request', 'invalid_client', 'server_error']),
    );
  });
});

describe('random tokens that a model returns', () => {
  const date = fc.oneof(fc.constant(later()), fc.date({ noInvalidDate: false }), fc.anything({ maxDepth: 1 }));
  const anything = fc.anything({ maxDepth: 1 });
  const found = fc.record(
    {
      client: fc.oneof({ weight: 5, arbitrary: fc.constant(WEB) }, anything),
      user: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(ALICE, { id: 7, username: 'Ada' }) }, anything),
      accessTokenExpiresAt: date,
      refreshTokenExpiresAt: date,
      scope: fc.oneof(fc.constantFrom('read', ['read', 'write'], ''), anything),
      resource: fc.oneof(fc.constantFrom(API, [API, 'https://other.example']), anything),
      issuer: fc.oneof(fc.constantFrom(undefined, null, 'https://as.example'), anything),
      iat: anything,
      nbf: anything,
      cnf: anything,
      grantedAt: date,
      revokedAt: date,
    },
    { requiredKeys: ['client', 'user'] },
  );

  it('are introspected, revoked or rejected with valid JSON', async () => {
    const answers = new Set<string>();
    await fc.assert(
      fc.asyncProperty(found, fc.constantFrom(...RIGHT.slice(0, 2)), serverOptions, async (token, request, given) => {
        const testModel = makeHost({ getAccessToken: () => token, getRefreshToken: () => token });
        for (const endpoint of ['introspection', 'revocation']) {
          const { body } = await ask(testModel, endpoint, request, given);
          const said = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
          answers.add(String(said['active'] ?? said['error'] ?? 'done'));
          for (const name of ['exp', 'iat', 'nbf']) expect(['number', 'undefined']).toContain(typeof said[name]);
          for (const name of ['sub', 'username', 'scope', 'iss'])
            expect(['string', 'undefined']).toContain(typeof said[name]);
        }
      }),
      { numRuns: 400 },
    );
    expect([...answers]).toEqual(expect.arrayContaining(['true', 'false', 'done', 'server_error']));
  });
});
