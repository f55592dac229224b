import { validateHeaderValue } from 'node:http';

import { describe, expect, it } from '@jest/globals';
import { type PushedRequest, pushedRequests, resourceIndicators } from 'nest-oauth2/features';
import { OAuth2Server, OAuthError, Request, Response } from 'nest-oauth2/server';

import * as fc from '../../support/environment/fast-check.js';
import {
  alteredRequest,
  CANARY,
  failures,
  serverOptions,
  arbitraryRequest,
} from '../../support/clients/hostile-input.js';
import { CALLBACK, createTestModel, SECRET } from '../../support/models/model.js';
import { basic, CHALLENGE } from '../../support/clients/requests.js';
import { withoutWarnings } from '../../support/environment/quiet.js';

const SAYABLE = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const FAR = 'https://api.example/notes';
const PUSHED = `urn:ietf:params:oauth:request_uri:${'0'.repeat(64)}`;

const ASKED = {
  response_type: 'code',
  client_id: 'web',
  redirect_uri: CALLBACK,
  scope: 'read',
  state: 'xyz',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
  resource: FAR,
};

const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: basic('web', SECRET) };
const PUSH = { method: 'POST', headers, query: {}, body: ASKED };
const VISIT = { method: 'GET', headers: {}, query: { client_id: 'web', request_uri: PUSHED }, body: {} };

/** Values for the two parameters that these features add: valid and hostile ones. */
const around = (...right: unknown[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...right) },
    fc.string({ unit: fc.anyCharacter }),
    fc.anything({ maxDepth: 2 }),
    fc.array(fc.webUrl({ withFragments: true }), { maxLength: 40 }),
    fc.constantFrom(
      'x'.repeat(100_000),
      `https://${'a.'.repeat(5000)}example/`,
      '#',
      'https://[',
      'urn:',
      '%'.repeat(9999),
    ),
  );
const more = fc.record(
  { request_uri: around(PUSHED, PUSHED.toUpperCase(), undefined), resource: around(FAR, [FAR, FAR], undefined) },
  { requiredKeys: [] },
);
const sent = (right: object) =>
  fc.tuple(fc.oneof(arbitraryRequest, alteredRequest([right])), more).map(([request, given]) => {
    const { method, query, body } = request as Partial<Record<'method' | 'query' | 'body', object>>;
    const whole = { body: Object.assign({}, body, given), query: Object.assign({}, query, given) };
    return Object.assign({}, request, { method: method || 'GET' }, whole);
  });

/** Creates a server whose model has stored one request and may fail. */
function make(given: object, failing: object): { server: OAuth2Server; kept: PushedRequest[] } {
  const inAnHour = new Date(Date.now() + 3_600_000);
  const pushed = { requestUri: PUSHED, clientId: 'web', parameters: ASKED, openUntil: inAnHour, expiresAt: inAnHour };
  const kept: PushedRequest[] = [];
  const own = {
    savePushedRequest: (request: PushedRequest) => void kept.push(request),
    getPushedRequest: (uri: string) => uri === PUSHED && pushed,
    revokePushedRequest: () => true,
    once: () => true,
  };
  const { model } = createTestModel({ ...own, ...failing });
  const features = [pushedRequests(), resourceIndicators({ resources: [FAR, 'urn:far'] })];
  return { server: new OAuth2Server({ model, features, ...given }), kept };
}

/** Asserts that a response reveals nothing of the application and has valid headers. */
function expectSendable({ status, headers: answered, body }: Response, statuses: readonly number[]): void {
  expect(statuses).toContain(status);
  for (const [name, value] of Object.entries(answered)) validateHeaderValue(name, value);
  expect(JSON.stringify([answered, body])).not.toContain(CANARY);
  const { error = '', error_description = '' } = (body ?? {}) as Record<string, string>;
  expect([error, error_description].every((text) => SAYABLE.test(text))).toBe(true);
}

const refusedBy = async (answer: Promise<unknown>) =>
  answer.then(
    () => undefined,
    (error: unknown) => error,
  );

withoutWarnings();

describe('random requests', () => {
  it('are stored without secrets or rejected by the pushed authorization request endpoint', async () => {
    const names = new Set<string>();
    await fc.assert(
      fc.asyncProperty(sent(PUSH), serverOptions, failures, async (requested, given, failing) => {
        const { server, kept } = make(given, failing);
        const response = new Response();
        const request = new Request(requested as never);
        const error = await refusedBy(server.handle('pushed_authorization_request', request, response));
        expect(error === undefined || error instanceof OAuthError).toBe(true);
        names.add((error as OAuthError | undefined)?.name ?? 'kept');
        expectSendable(response, [201, 400, 401, 413, 500, 503]);
        expect(response.status === 201).toBe(error === undefined && kept.length === 1);
        expect(response.get('location')).toBeUndefined();
        expect(Object.keys(kept[0]?.parameters ?? {})).not.toContain('client_secret');
        expect(JSON.stringify(kept).length).toBeLessThan(20_000);
      }),
      { numRuns: 800 },
    );
    const some = ['kept', 'invalid_request', 'invalid_client', 'invalid_target', 'server_error'];
    expect([...names]).toEqual(expect.arrayContaining(some));
  });

  it('with a request_uri cause a redirect to a registered URI or an error in the browser', async () => {
    const names = new Set<string>();
    await fc.assert(
      fc.asyncProperty(sent(VISIT), serverOptions, failures, async (requested, given, failing) => {
        const { server } = make(given, failing);
        const response = new Response();
        const error = await refusedBy(server.authorize(new Request(requested as never), response));
        expect(error === undefined || error instanceof OAuthError).toBe(true);
        names.add((error as OAuthError | undefined)?.name ?? 'answered');
        expectSendable(response, [200, 302, 400, 401, 403, 500, 503]);
        expect(response.get('location') ?? CALLBACK).toMatch(
          /^(https:\/\/(app|spa)\.example|http:\/\/127\.0\.0\.1:7)\//,
        );
      }),
      { numRuns: 800 },
    );
    expect([...names]).toEqual(expect.arrayContaining(['answered', 'invalid_request', 'server_error']));
  });
});
