import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { pushedRequests, resourceIndicators } from 'nest-oauth2/features';

import { WEB, WEB_SECRET } from '../../support/clients/client.js';
import { decide } from '../../support/clients/consent.js';
import { CALLBACK, demoModule } from '../../support/servers/demo.js';
import { readResponse, basic, bearer, get, post } from '../../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';

const insecure = { [oauth.allowInsecureRequests]: true };
const NOTES = 'https://api.example/notes';
const MAIL = 'https://mail.example/';

describe.each(ANY_PLATFORM)('resource indicators on %s', (platform) => {
  let url: string;
  let as: oauth.AuthorizationServer;
  beforeAll(async () => {
    const features = [resourceIndicators({ own: [NOTES], resources: [MAIL] }), pushedRequests()];
    ({ url } = await startApplication(platform, demoModule({ features })));
    as = {
      issuer: url,
      authorization_endpoint: `${url}/oauth/authorize`,
      token_endpoint: `${url}/oauth/token`,
      pushed_authorization_request_endpoint: `${url}/oauth/par`,
    };
  });
  afterAll(stopApplications);

  const form = (parameters: Record<string, string>, resources: readonly string[]) =>
    new URLSearchParams([
      ...Object.entries(parameters),
      ...resources.map((uri): [string, string] => ['resource', uri]),
    ]);

  /** Runs the code flow up to the token request. If the request is pushed, the browser sends only its `request_uri`. */
  async function obtainCode(resources: readonly string[], isPushed: boolean) {
    const verifier = oauth.generateRandomCodeVerifier();
    const requested = {
      response_type: 'code',
      client_id: 'web',
      redirect_uri: CALLBACK,
      scope: 'notes:read',
      state: 'xyz',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    let parameters = form(requested, resources);
    if (isPushed) {
      const response = await oauth.pushedAuthorizationRequest(as, WEB, WEB_SECRET, parameters, insecure);
      const { request_uri } = await oauth.processPushedAuthorizationResponse(as, WEB, response);
      parameters = new URLSearchParams({ client_id: 'web', request_uri });
    }
    const landed = await decide(url, parameters as never, 'alice', 'allow');
    return { landed, verifier };
  }

  async function redeem({ landed, verifier }: { landed: URL; verifier: string }, resources: readonly string[]) {
    const callback = oauth.validateAuthResponse(as, WEB, landed, 'xyz');
    const additionalParameters = form({}, resources);
    const options = { ...insecure, additionalParameters };
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      WEB,
      WEB_SECRET,
      callback,
      CALLBACK,
      verifier,
      options,
    );
    return oauth.processAuthorizationCodeResponse(as, WEB, response);
  }

  async function refresh(token: string, resources: readonly string[]) {
    const options = { ...insecure, additionalParameters: form({}, resources) };
    const response = await oauth.refreshTokenGrantRequest(as, WEB, WEB_SECRET, token, options);
    return oauth.processRefreshTokenResponse(as, WEB, response);
  }

  const visit = async (token: string) => (await readResponse(get(`${url}/notes`, bearer(token)))).status;

  it.each([
    ['in the URL', false],
    ['in a pushed request', true],
  ])('requested %s limit tokens to these resources', async (_, isPushed) => {
    const code = await obtainCode([NOTES, MAIL], isPushed);
    const far = await redeem(code, [MAIL]);
    expect(await visit(far.access_token)).toBe(401);
    const near = await refresh(far.refresh_token!, [NOTES]);
    expect(await visit(near.access_token)).toBe(200);
    const both = await refresh(near.refresh_token!, []);
    expect(await visit(both.access_token)).toBe(200);
    await expect(refresh(both.refresh_token!, ['https://other.example/'])).rejects.toMatchObject({
      error: 'invalid_target',
    });
  });

  it('return invalid_target to the client if they are unknown', async () => {
    const { landed } = await obtainCode(['https://other.example/'], false);
    expect(() => oauth.validateAuthResponse(as, WEB, landed, 'xyz')).toThrow(oauth.AuthorizationResponseError);
    expect(Object.fromEntries(landed.searchParams)).toMatchObject({ error: 'invalid_target', state: 'xyz' });
    await expect(obtainCode(['https://other.example/'], true)).rejects.toMatchObject({ error: 'invalid_target' });
  });

  it('are distinguished even if the path is spelled differently', async () => {
    const root = 'https://api.example/';
    const features = [resourceIndicators({ own: [root, NOTES] })];
    const host = await startApplication(platform, demoModule({ features }));
    const parameters = form({ grant_type: 'client_credentials', scope: 'notes:read' }, [root]);
    const response = await readResponse(
      post(`${host.url}/oauth/token`, parameters.toString(), basic('web', 'web-secret')),
    );
    const { access_token: token } = response.body as { access_token: string };
    for (const path of ['/notes', '/NOTES', '/n%6ftes', '/Notes/Mine']) {
      const { status } = await readResponse(get(host.url + path, bearer(token)));
      // The platform returns 404 for a path that does not match the route.
      expect([path, status === 401 || status === 404]).toEqual([path, true]);
    }
  });

  it('limit the token of a client credentials client', async () => {
    const obtain = async (resources: readonly string[]) => {
      const parameters = form({ scope: 'notes:read' }, resources);
      const response = await oauth.clientCredentialsGrantRequest(as, WEB, WEB_SECRET, parameters, insecure);
      return oauth.processClientCredentialsResponse(as, WEB, response);
    };
    expect(await visit((await obtain([NOTES])).access_token)).toBe(200);
    expect(await visit((await obtain([MAIL])).access_token)).toBe(401);
    await expect(obtain([])).rejects.toMatchObject({ error: 'invalid_target' });
    await expect(obtain([`${NOTES}#x`])).rejects.toMatchObject({ error: 'invalid_target' });
  });
});
