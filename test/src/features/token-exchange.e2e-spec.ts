import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { introspection, serverMetadata, tokenExchange } from 'nest-oauth2/features';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

import { demoModule } from '../../support/servers/demo.js';
import { readResponse, basic, bearer, get, post, expectedRefusal } from '../../support/clients/http.js';
import { freePort } from '../../support/environment/free-port.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';

const insecure = { [oauth.allowInsecureRequests]: true };
const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS = 'urn:ietf:params:oauth:token-type:access_token';

const both = { scopes: ['notes:read', 'notes:write'], grants: [GRANT, 'password', 'client_credentials'] };
const alice = { id: 'alice', name: 'Alice' };

class Store extends MemoryStore {
  constructor() {
    super({
      clients: [
        { ...both, id: 'web', secret: 'web-secret' },
        { ...both, id: 'worker', secret: 'worker-secret' },
      ],
      users: { findById: () => alice, findByCredentials: () => alice },
    });
  }

  mayExchange({ client }: { client: { id: string } }) {
    return client.id === 'worker';
  }
}

describe.each(ANY_PLATFORM)('token exchange on %s', (platform) => {
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    const issuer = `http://localhost:${port}`;
    const features = [tokenExchange(), introspection(), serverMetadata()];
    const module = demoModule({ model: new Store(), issuer, features });
    await startApplication(platform, module, { port });
    url = issuer;
  });
  afterAll(stopApplications);

  const discover = (id: string) =>
    openid.discovery(new URL(url), id, `${id}-secret`, undefined, {
      execute: [openid.allowInsecureRequests],
      algorithm: 'oauth2',
    });

  const signIn = async () => {
    const form = { grant_type: 'password', username: 'alice', password: 'x', scope: 'notes:read notes:write' };
    const { body } = await readResponse(post(`${url}/oauth/token`, form, basic('web', 'web-secret')));
    return (body as { access_token: string }).access_token;
  };

  it('delegates with an actor token, as requested by openid-client, and returns the actor', async () => {
    const configuration = await discover('worker');
    expect(configuration.serverMetadata().grant_types_supported).toContain(GRANT);
    const actor = await openid.clientCredentialsGrant(configuration, { scope: 'notes:read' });
    const answer = await openid.genericGrantRequest(configuration, GRANT, {
      subject_token: await signIn(),
      subject_token_type: ACCESS,
      actor_token: actor.access_token,
      actor_token_type: ACCESS,
      requested_token_type: ACCESS,
      scope: 'notes:read',
    });
    expect(answer).toMatchObject({ issued_token_type: ACCESS, token_type: 'bearer', scope: 'notes:read' });
    expect(await openid.tokenIntrospection(configuration, answer.access_token)).toMatchObject({
      active: true,
      sub: 'alice',
      client_id: 'worker',
      scope: 'notes:read',
      act: { sub: 'worker', client_id: 'worker' },
    });
    expect((await get(`${url}/notes`, bearer(answer.access_token))).status).toBe(200);
  });

  it('impersonates without an actor token, as requested by oauth4webapi', async () => {
    const as = { issuer: url, token_endpoint: `${url}/oauth/token` };
    const client = { client_id: 'worker' };
    const parameters = { subject_token: await signIn(), subject_token_type: ACCESS };
    const secret = oauth.ClientSecretBasic('worker-secret');
    const response = await oauth.genericTokenEndpointRequest(as, client, secret, GRANT, parameters, insecure);
    const answer = await oauth.processGenericTokenEndpointResponse(as, client, response);
    expect(answer).toMatchObject({ issued_token_type: ACCESS, scope: 'notes:read notes:write' });
  });

  it('rejects requests that the application does not allow, or that exceed the subject token', async () => {
    const ask = async (id: string, more: object) =>
      readResponse(
        post(
          `${url}/oauth/token`,
          { grant_type: GRANT, subject_token: await signIn(), subject_token_type: ACCESS, ...more },
          basic(id, `${id}-secret`),
        ),
      );
    expect(await ask('web', {})).toEqual(
      expectedRefusal('invalid_request', 'Invalid request: this exchange is not permitted'),
    );
    expect(await ask('worker', { scope: 'notes:read admin' })).toEqual(
      expectedRefusal('invalid_scope', 'Invalid scope: requested scope exceeds the scope of the subject token'),
    );
    expect(await ask('worker', { resource: 'https://api.example/' })).toEqual(
      expectedRefusal('invalid_target', 'Invalid target: no token can be issued for this `resource` or `audience`'),
    );
  });
});
