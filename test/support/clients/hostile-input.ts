import { OAuthError, ServerError } from 'nest-oauth2/server';

import * as fc from '../environment/fast-check.js';
import { ALICE, CALLBACK, createTestModel, SECRET } from '../models/model.js';
import { basic, CHALLENGE, VERIFIER } from './requests.js';

/** The text in the errors of a failing model. It must not appear in any response. */
export const CANARY = 'CANARY-9d1f';

/** Hostile parameter values: strings, arrays, objects and other types that a body parser could return. */
const hostile = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: fc.anyCharacter, maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  fc.constantFrom(
    '',
    ' ',
    '"',
    '\\',
    '\r\nset-cookie: x',
    '\u0000',
    '__proto__',
    'constructor',
    'toString',
    '\u{d800}',
  ),
  fc.constantFrom('x'.repeat(100_000), 'é'.repeat(100_000), ' '.repeat(100_000), '%'.repeat(10_000)),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.object({ maxDepth: 1, maxKeys: 3 }),
  fc.anything({ maxDepth: 1, withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
);
/** Generates mostly valid values, so that requests pass the first checks. About one in seven is hostile. */
const mostlyValid = (...valid: unknown[]) => fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...valid) }, hostile);

const parameters = fc.record(
  {
    grant_type: mostlyValid(
      'authorization_code',
      'client_credentials',
      'password',
      'refresh_token',
      'urn:example:extension',
    ),
    client_id: mostlyValid('web', 'spa', 'who', undefined),
    client_secret: mostlyValid(SECRET, 'wrong', undefined, undefined),
    code: mostlyValid('code', 'other'),
    code_verifier: mostlyValid(VERIFIER, undefined),
    refresh_token: mostlyValid('refresh', 'other'),
    username: mostlyValid('alice'),
    password: mostlyValid('wonderland'),
    scope: mostlyValid('read', 'write read', 'admin', undefined),
    redirect_uri: mostlyValid(CALLBACK, 'http://127.0.0.1:7/cb', 'https://evil.example/', undefined),
    response_type: mostlyValid('code', 'token'),
    state: mostlyValid('xyz', undefined),
    code_challenge: mostlyValid(CHALLENGE, undefined),
    code_challenge_method: mostlyValid('S256', 'plain', undefined),
    allowed: mostlyValid('true', 'false', undefined, undefined),
    access_token: mostlyValid(undefined, undefined, undefined, 'access'),
  },
  { requiredKeys: [], noNullPrototype: false },
);
const polluted = parameters.map((given) => ({
  ...given,
  ...(JSON.parse('{"__proto__":{"allowed":"false"}}') as object),
}));
const headers = fc.record(
  {
    authorization: mostlyValid(
      basic('web', SECRET),
      basic('web', 'x'),
      'Bearer access',
      'Basic !',
      undefined,
      undefined,
    ),
    'content-type': mostlyValid('application/x-www-form-urlencoded', 'application/json'),
    'content-length': mostlyValid('1', undefined),
    __proto__: hostile,
  },
  { requiredKeys: [] },
);
/** Generates requests in which any part may be invalid. */
export const arbitraryRequest = fc.record({
  method: mostlyValid('POST', 'POST', 'GET', 'post'),
  headers: fc.oneof({ weight: 9, arbitrary: headers }, fc.object({ maxDepth: 0 })),
  query: fc.oneof({ weight: 9, arbitrary: parameters }, polluted, hostile),
  body: fc.oneof({ weight: 9, arbitrary: parameters }, polluted, hostile),
});

const form = { 'content-type': 'application/x-www-form-urlencoded', authorization: basic('web', SECRET) };
const post = (body: object) => ({ method: 'POST', headers: form, query: {}, body });
const CODE = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK };
const AUTHORIZATION = { response_type: 'code', client_id: 'web', redirect_uri: CALLBACK, scope: 'read', state: 'xyz' };
/** Valid requests for each operation of the server. */
export const VALID_REQUEST = {
  authenticate: [{ method: 'GET', headers: { authorization: 'Bearer access' }, query: {}, body: {} }],
  authorize: ['code', 'token'].map((response_type) => {
    return {
      method: 'GET',
      headers: { authorization: 'Bearer access' },
      query: { ...AUTHORIZATION, response_type },
      body: {},
    };
  }),
  token: [
    post(CODE),
    post({ grant_type: 'client_credentials' }),
    post({ grant_type: 'password', username: 'alice', password: 'wonderland' }),
    post({ grant_type: 'refresh_token', refresh_token: 'refresh', scope: 'read' }),
  ],
};
/** Generates valid requests with up to two parameters or headers changed. */
export const alteredRequest = (valid: readonly object[]) =>
  fc
    .tuple(fc.constantFrom(...valid), fc.constantFrom('query', 'body', 'headers'), parameters, fc.nat({ max: 2 }))
    .map(([request, part, replacements, count]) => {
      const changes = Object.fromEntries(Object.entries(replacements).slice(0, count));
      const unchanged: object = request[part as keyof typeof request];
      return Object.assign({}, request, { [part]: Object.assign({}, unchanged, changes) });
    });

const METHODS = Object.keys(createTestModel().model);
const FAILURES: readonly (() => unknown)[] = [
  () => {
    throw new Error(CANARY);
  },
  () => Promise.reject(new TypeError(CANARY, { cause: CANARY })),
  () => {
    // oxlint-disable-next-line only-throw-error
    throw CANARY;
  },
  () => Promise.reject(new ServerError(new Error(CANARY))),
  () => Promise.reject(new OAuthError(new Error(CANARY))),
  () => Promise.reject(Object.assign(new Error(CANARY), { name: CANARY, code: 400, statusCode: 400, status: 400 })),
  () => null,
  () => ({}),
  () => true,
];
/** Generates the model methods that fail, each with a way to fail. */
export const failures = fc.dictionary(fc.constantFrom(...METHODS), fc.constantFrom(...FAILURES), { maxKeys: 2 });
/** Generates options of a server. */
export const serverOptions = fc.record(
  {
    allowBearerTokensInQueryString: fc.boolean(),
    allowEmptyState: fc.boolean(),
    allowExtendedTokenAttributes: fc.boolean(),
    alwaysIssueNewRefreshToken: fc.boolean(),
    enablePlainPKCE: fc.boolean(),
    issuer: fc.constant('https://as.example'),
    requireClientAuthentication: fc.dictionary(fc.constantFrom('password', 'refresh_token'), fc.boolean()),
    requirePKCE: fc.constantFrom('public', 'all', 'none'),
    scope: fc.constantFrom('read', 'admin', ['write']),
    scopeFormat: fc.constantFrom('string', 'array'),
    authenticateHandler: fc.constantFrom(
      { handle: () => ALICE },
      { handle: () => null },
      { handle: FAILURES[0] },
      undefined,
    ),
  },
  { requiredKeys: [] },
);
