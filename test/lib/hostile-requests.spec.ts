import { validateHeaderValue } from 'node:http';

import { describe, expect, it, jest } from '@jest/globals';
import { OAuth2Server, OAuthError, Request, Response } from 'nest-oauth2/server';

import * as fc from '../support/environment/fast-check.js';
import {
  addAccessToken,
  addCode,
  addRefreshToken,
  ALICE,
  CALLBACK,
  createTestModel,
  WEB,
} from '../support/models/model.js';
import {
  alteredRequest,
  CANARY,
  failures,
  serverOptions,
  VALID_REQUEST,
  arbitraryRequest,
} from '../support/clients/hostile-input.js';
import { runOperation } from '../support/clients/requests.js';
import { withoutWarnings } from '../support/environment/quiet.js';

const SAYABLE = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

function server(given: object, failing: object): OAuth2Server {
  const testModel = createTestModel(failing);
  testModel.clients.set('web', { ...WEB, grants: [...WEB.grants, 'implicit'] });
  addAccessToken(testModel);
  addCode(testModel);
  addRefreshToken(testModel);
  return new OAuth2Server({ model: testModel.model, ...given });
}

const REGISTERED = [CALLBACK, 'https://app.example/other?x=1', 'https://spa.example/cb', 'http://127.0.0.1:7/cb'];

/** Returns the error and its description from the body or the redirect of a response. */
function said({ body, headers: sent }: Response): Record<string, string> {
  const { searchParams, hash } = new URL(sent['location'] ?? 'none:');
  const { error, error_description } = {
    ...Object.fromEntries([...searchParams, ...new URLSearchParams(hash.slice(1))]),
    ...body,
  };
  return error === undefined ? {} : { error, error_description };
}

/** Asserts that a response has valid headers, redirects to a registered URI only, and reveals no secret. */
function expectSendable(response: Response): void {
  const { status, headers: sent, body } = response;
  expect([200, 302, 400, 401, 403, 500, 503]).toContain(status);
  for (const [name, value] of Object.entries(sent)) {
    expect(name).toBe(name.toLowerCase());
    validateHeaderValue(name, value);
  }
  expect(JSON.stringify([status, sent, body]) + unescape(String(sent['location']))).not.toContain(CANARY);
  expect(Object.values(said(response)).every((value) => SAYABLE.test(value))).toBe(true);
  const location = response.get('location');
  const url = location === undefined ? undefined : new URL(location);
  const target = url ? url.host + url.pathname : 'nowhere';
  expect(['nowhere', ...REGISTERED.map((uri) => new URL(uri).host + new URL(uri).pathname)]).toContain(target);
}

// Each test runs hundreds of cases.
jest.setTimeout(120_000);

withoutWarnings();

describe('random requests, options and model failures', () => {
  it.each([
    ['authenticate', VALID_REQUEST.authenticate],
    ['authorize', VALID_REQUEST.authorize],
    ['token', VALID_REQUEST.token],
    ['readAuthorizationRequest', VALID_REQUEST.authorize],
  ] as const)(
    'make %s end with a result or an OAuthError, and with a response that reveals no secret',
    async (operation, right) => {
      const names = new Set<string>();
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(arbitraryRequest, alteredRequest(right)),
          serverOptions,
          failures,
          async (requested, given, failing) => {
            const response = new Response();
            let error: unknown;
            try {
              await server(given, failing)[operation](new Request(requested as never), response);
            } catch (caught) {
              error = caught;
            }
            expect(error === undefined || error instanceof OAuthError).toBe(true);
            names.add((error as OAuthError | undefined)?.name ?? 'answered');
            expectSendable(response);
            expect('allowed' in {}).toBe(false);
          },
        ),
        { numRuns: 800 },
      );
      // Verifies that the random requests reach different parts of the code.
      expect([...names]).toEqual(expect.arrayContaining(['answered', 'invalid_request', 'server_error']));
      expect(names.size).toBeGreaterThan(3);
    },
  );

  it('cause error responses with allowed characters only, whatever text the model throws', async () => {
    const text = fc.string({ unit: fc.anyCharacter });
    await fc.assert(
      fc.asyncProperty(text, text, fc.integer({ min: 400, max: 503 }), async (message, name, code) => {
        const failing = () => {
          throw new OAuthError(message, { name, code });
        };
        const testModel = createTestModel({ getAccessToken: failing, validateScope: failing });
        const handler = { authenticateHandler: { handle: () => ALICE } };
        for (const [operation, right] of [
          ['authenticate', VALID_REQUEST.authenticate[0]],
          ['authorize', VALID_REQUEST.authorize[0]],
          ['token', VALID_REQUEST.token[1]],
        ] as const) {
          const { error, response } = await runOperation(testModel, operation, new Request(right!), handler);
          expect(error?.name).toBe(name);
          for (const [header, value] of Object.entries(response.headers)) validateHeaderValue(header, value);
          expect(Object.values(said(response)).every((value) => SAYABLE.test(value))).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});
