import { beforeAll, describe, expect, it } from '@jest/globals';
import { privateKeyJwt } from 'nest-oauth2/jose';
import { Request } from 'nest-oauth2/server';

import { openCiba } from '../../support/clients/ciba.js';
import { FapiClient } from '../../support/clients/fapi-client.js';
import { ISSUER } from '../../support/servers/openid-server.js';
import { FORM } from '../../support/clients/requests.js';

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const TOKEN_URL = `${ISSUER}/oauth/token`;

describe('the audience of a client assertion at the CIBA endpoint', () => {
  let client: FapiClient;
  let ask: (aud: unknown) => Promise<{ status: number }>;

  beforeAll(async () => {
    client = new FapiClient(ISSUER, 'web');
    const { tokenEndpointAuthMethod, jwks } = client.registration({});
    const host = await openCiba({ client: { tokenEndpointAuthMethod, jwks }, more: [privateKeyJwt()] });
    ask = async (aud) => {
      const assertion = { client_assertion_type: TYPE, client_assertion: await client.assertion({ claims: { aud } }) };
      const body = { scope: 'openid', login_hint: 'alice', ...assertion };
      const request = new Request({ method: 'POST', headers: { ...FORM }, query: {}, body });
      return await host.send('backchannel_authentication', request);
    };
  });

  it.each([
    ['the issuer', ISSUER, 200],
    ['the URL of the token endpoint', TOKEN_URL, 200],
    ['the URL of the CIBA endpoint', `${ISSUER}/oauth/backchannel_authentication`, 200],
    ['the issuer and the token endpoint', [ISSUER, TOKEN_URL], 200],
    ['the URL of the userinfo endpoint', `${ISSUER}/oauth/userinfo`, 401],
    ['another server', 'https://evil.example', 401],
  ])('is validated: %s as `aud`, %j, causes the status %i (CIBA §7.1)', async (_, aud, status) => {
    expect(await ask(aud)).toMatchObject({ status });
  });
});
