import { describe, expect, it } from '@jest/globals';

import { createTestModel, SECRET, WEB } from '../../support/models/model.js';
import { runOperation, FORM, formRequest, summary } from '../../support/clients/requests.js';

const GRANT = { grant_type: 'password', username: 'alice', password: 'wonderland' };
const inForm = (body: object, headers = {}) => formRequest({ ...GRANT, ...body }, { headers: { ...FORM, ...headers } });

describe('the option `requireClientAuthentication`', () => {
  const withoutSecret = (map: unknown, client: object = {}, body = {}) => {
    const testModel = createTestModel();
    testModel.clients.set('web', { ...WEB, ...client });
    return runOperation(testModel, 'token', inForm({ client_id: 'web', ...body }), {
      requireClientAuthentication: map,
    });
  };

  it('lets a client omit its secret for a grant type that is set to false', async () => {
    expect((await withoutSecret({ password: false })).status).toBe(200);
  });

  it.each([
    ['an empty object', {}],
    ['an object with true for the grant', { password: true }],
    ['an object with false for another grant', { refresh_token: false }],
    ['true', true],
    ['false', false],
    ['undefined', undefined],
    ['an object that inherits false for the grant', Object.create({ password: false })],
  ])('requires the secret if it is %s', async (_, map) => {
    expect(summary((await withoutSecret(map)).error)).toBe(
      '401 invalid_client: Invalid client: cannot retrieve client credentials',
    );
  });

  // The engine applies the option as it is. The Nest module rejects it at start-up.
  it('lets a client omit its secret for client_credentials if that is set to false', async () => {
    const requireClientAuthentication = { client_credentials: false };
    const own = formRequest({ grant_type: 'client_credentials', client_id: 'web' });
    expect((await runOperation(createTestModel(), 'token', own, { requireClientAuthentication })).status).toBe(200);
    expect((await runOperation(createTestModel(), 'token', own)).status).toBe(401);
  });

  it('still verifies a secret that is sent', async () => {
    const { error } = await withoutSecret({ password: false }, {}, { client_secret: 'wrong' });
    expect(summary(error)).toBe('401 invalid_client: Invalid client: client is invalid');
  });

  it('still requires the secret of a client with a registered authentication method', async () => {
    const { status } = await withoutSecret({ password: false }, { tokenEndpointAuthMethod: 'client_secret_basic' });
    expect(status).toBe(401);
  });

  it('is not needed for public clients, which have no secret', async () => {
    expect((await withoutSecret({}, { tokenEndpointAuthMethod: 'none' })).status).toBe(200);
  });

  it('has no effect on public clients: their secret is ignored, and client_credentials is refused', async () => {
    const testModel = createTestModel();
    testModel.clients.set('web', { ...WEB, tokenEndpointAuthMethod: 'none' });
    const parameters = { client_id: 'web', client_secret: SECRET };
    const itself = await runOperation(
      testModel,
      'token',
      formRequest({ ...parameters, grant_type: 'client_credentials' }),
    );
    expect(summary(itself.error)).toBe(
      '400 unauthorized_client: Unauthorized client: a public client is not allowed to use this `grant_type`',
    );
    expect(testModel.accessTokens.size).toBe(0);
    expect((await runOperation(testModel, 'token', inForm(parameters))).status).toBe(200);
  });

  it('still rejects an unknown client', async () => {
    const { error } = await runOperation(createTestModel(), 'token', inForm({ client_id: 'who' }), {
      requireClientAuthentication: { password: false },
    });
    expect(summary(error)).toBe('401 invalid_client: Invalid client: client is invalid');
  });
});
