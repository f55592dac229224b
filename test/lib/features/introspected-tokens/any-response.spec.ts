import { describe, expect, it, jest } from '@jest/globals';
import { IntrospectedTokens, type IntrospectedTokensOptions } from 'nest-oauth2/features';
import { isClientItself, OAuth2Server, type Token } from 'nest-oauth2/server';

import * as fc from '../../../support/environment/fast-check.js';
import { runOperation, resourceRequest } from '../../../support/clients/requests.js';

// For any introspection response, a token is accepted, rejected or not verifiable at the moment. No response causes an
// internal error or grants more than it contains.

const SECRET = 'api-secret';
const TOKEN = 'the-token';
const ISSUER = 'https://id.example';
const HOUR = Math.floor(Date.now() / 1000) + 3600;

const value = fc.oneof(
  fc.constantFrom<unknown>(true, false, null, '', 'web', 'alice', 'Bearer', 'DPoP', ISSUER, 'read', HOUR, 0, -1, 1e300),
  fc.constantFrom<unknown>([], ['api'], [7], {}, { jkt: 'x' }, '__proto__', 'oauth2:client:web'),
  fc.jsonValue(),
);
const NAMES = ['active', 'exp', 'scope', 'client_id', 'sub', 'username', 'aud', 'iss', 'token_type', 'cnf', 'act'];
const OWN = [
  'accessToken',
  'accessTokenExpiresAt',
  'client',
  'user',
  'grantId',
  '__proto__',
  'constructor',
  'toString',
];
const members = fc.dictionary(fc.constantFrom(...NAMES, ...OWN), value, { maxKeys: 6 });
const good = { active: true, client_id: 'web', sub: 'alice', exp: HOUR };

/** A valid response with some changed members, or random content. */
const body = fc.oneof(
  members.map((some) => JSON.stringify({ ...good, ...some })),
  members.map((some) => JSON.stringify(some)),
  fc.json(),
  fc.string(),
);
const reply = fc.record({
  body,
  status: fc.oneof({ weight: 5, arbitrary: fc.constant(200) }, fc.constantFrom(201, 302, 400, 401, 403, 404, 429, 500)),
  type: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('application/json', 'Application/JSON; charset=utf-8') },
    fc.constantFrom('text/html', 'application/token-introspection+jwt', 'nonsense', ''),
  ),
});

interface Reply {
  body: string;
  status: number;
  type: string;
}

function modelOf({ body: text, status, type }: Reply, options: Partial<IntrospectedTokensOptions>) {
  return new IntrospectedTokens({
    issuer: ISSUER,
    introspectionEndpoint: `${ISSUER}/introspect`,
    credentials: { id: 'api', secret: SECRET },
    audience: null,
    fetch: async () => new Response(text, { status, headers: { 'content-type': type } }),
    ...options,
  });
}

/** Whether the response declares the token as active. */
function isGood({ body: text, status, type }: Reply): boolean {
  if (status !== 200 || !/^application\/json/i.test(type)) return false;
  let said: Record<string, unknown>;
  try {
    said = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return false;
  }
  return said?.['active'] === true;
}

describe('random introspection responses', () => {
  it('make a token valid only if they declare it active, with no more than they contain', async () => {
    const warnings = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    await fc.assert(
      fc.asyncProperty(reply, fc.constantFrom({}, { audience: 'api' }), async (sent, options) => {
        const server = new OAuth2Server({ model: modelOf(sent, options) });
        const { status, result, error, headers } = await runOperation(
          server,
          'authenticate',
          resourceRequest(`Bearer ${TOKEN}`),
        );
        const reported = `${JSON.stringify(headers)} ${error?.message} ${error?.inner?.message}`;
        expect(reported).not.toContain(TOKEN);
        expect(reported).not.toContain(SECRET);
        const expected = expectations[status as keyof typeof expectations];
        expected({ sent, options, headers, token: result as unknown as Token });
      }),
      { numRuns: 250 },
    );
    warnings.mockRestore();
  });
});

interface Judged {
  sent: Reply;
  options: Partial<IntrospectedTokensOptions>;
  headers: Record<string, string>;
  token: Token;
}

const expectations = {
  200: expectTrue,
  /** A token is rejected as invalid only if the authorization server reported it. */
  401({ sent }: Judged): void {
    expect(sent.status).toBe(200);
    expect(JSON.parse(sent.body)).toEqual(expect.objectContaining({ active: expect.any(Boolean) }));
  },
  503({ headers }: Judged): void {
    expect(headers).toEqual({ 'retry-after': expect.stringMatching(/^\d+$/) });
  },
};

function expectTrue({ sent, options, token }: Judged): void {
  expect(isGood(sent)).toBe(true);
  const said = JSON.parse(sent.body) as Record<string, unknown>;
  const { sub, username } = said;
  expect(token.accessToken).toBe(TOKEN);
  expect(token.accessTokenExpiresAt.getTime()).toBeGreaterThan(Date.now() - 1000);
  expect(token.client).toEqual({ id: said['client_id'] ?? '', grants: [] });
  expect(Object.getPrototypeOf(token)).toBe(Object.prototype);
  expect([undefined, null, ISSUER]).toContain(said['iss']);
  expect([undefined, null, 'bearer']).toContain((said['token_type'] as string | undefined)?.toLowerCase());
  expect(token.scope ?? null).toEqual(said['scope'] ?? null);
  const user = { ...(sub != null && { id: sub }), ...(username != null && { username }) };
  expect(isClientItself(token.user) ? user : token.user).toEqual(user);
  expect([said['aud']].flat().concat(options.audience ? [] : 'api')).toContain('api');
  expect(said['cnf'] ?? null).toBeNull();
}
