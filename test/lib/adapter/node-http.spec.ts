import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { introspection, pushedRequests, registration, revocation, serverMetadata } from 'nest-oauth2/features';
import { OAuth2Server } from 'nest-oauth2/server';
import * as oauth from 'oauth4webapi';
import { WEB, WEB_SECRET } from '../../support/clients/client.js';
import { decide } from '../../support/clients/consent.js';
import { CALLBACK, demoStore } from '../../support/servers/demo.js';
import { nodeDemo } from '../../support/servers/every-adapter.js';
import { readResponse, basic, get, post } from '../../support/clients/http.js';
import { type Application, type RunningServer, startNode } from '../../support/servers/node-adapter.js';

const insecure = { [oauth.allowInsecureRequests]: true };
const features = [serverMetadata(), revocation(), introspection(), pushedRequests()];

let running: RunningServer | undefined;

async function start(options: object = {}, change: (made: Application) => Application = (made) => made) {
  const make = (issuer: string) =>
    change(nodeDemo(new OAuth2Server({ model: demoStore(), issuer, features, ...options })));
  running = await startNode(make);
  return running.url;
}

/** Discovers the server, and signs in the user alice by the code flow with a pushed request and PKCE. */
async function signIn(url: string) {
  const discovered = await oauth.discoveryRequest(new URL(url), { algorithm: 'oauth2', ...insecure });
  const server = await oauth.processDiscoveryResponse(new URL(url), discovered);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const parameters = {
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'notes:read',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  const pushed = await oauth.pushedAuthorizationRequest(server, WEB, WEB_SECRET, parameters, insecure);
  const { request_uri } = await oauth.processPushedAuthorizationResponse(server, WEB, pushed);
  const landed = await decide(url, { client_id: 'web', request_uri }, 'alice', 'allow');
  const callback = oauth.validateAuthResponse(server, WEB, landed, state);
  const redeemed = await oauth.authorizationCodeGrantRequest(
    server,
    WEB,
    WEB_SECRET,
    callback,
    CALLBACK,
    verifier,
    insecure,
  );
  return { server, tokens: await oauth.processAuthorizationCodeResponse(server, WEB, redeemed) };
}

describe('the example adapter for node:http', () => {
  afterEach(() => running?.stop());

  it('has at most 150 lines and imports the package by public names only', () => {
    const source = readFileSync(new URL('../../support/servers/node-adapter.ts', import.meta.url), 'utf8');
    expect(source.split('\n').length).toBeLessThanOrEqual(151);
    const imported = [...source.matchAll(/from '([^']+)'/g)].map(([, name]) => name!);
    expect(imported.filter((name) => !name.startsWith('node:')).toSorted()).toEqual([
      'nest-oauth2/adapter',
      'nest-oauth2/features',
      'nest-oauth2/server',
    ]);
  });

  it('supports discovery, pushed requests, code with PKCE, introspection, refresh and revocation', async () => {
    const url = await start();
    const { server, tokens } = await signIn(url);
    const active = await oauth.introspectionRequest(server, WEB, WEB_SECRET, tokens.access_token, insecure);
    expect(await oauth.processIntrospectionResponse(server, WEB, active)).toMatchObject({
      active: true,
      client_id: 'web',
      scope: 'notes:read',
    });
    const again = await oauth.refreshTokenGrantRequest(server, WEB, WEB_SECRET, tokens.refresh_token!, insecure);
    const fresh = await oauth.processRefreshTokenResponse(server, WEB, again);
    const api = new URL(`${url}/notes`);
    const called = await oauth.protectedResourceRequest(fresh.access_token, 'GET', api, undefined, null, insecure);
    expect(await called.json()).toEqual({ user: 'alice', client: 'web' });
    const revoked = await oauth.revocationRequest(server, WEB, WEB_SECRET, fresh.access_token, insecure);
    await oauth.processRevocationResponse(revoked);
    await expect(
      oauth.protectedResourceRequest(fresh.access_token, 'GET', api, undefined, null, insecure),
    ).rejects.toThrow(oauth.WWWAuthenticateChallengeError);
  });

  it('uses the user that an authenticateHandler returns', async () => {
    const authenticateHandler = { handle: () => ({ id: 'alice' }) };
    const url = await start({ authenticateHandler }, ({ server, routes = {} }) => ({ server, routes }));
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'web',
      redirect_uri: CALLBACK,
      state: 'xyz',
    });
    const { status, headers } = await readResponse(get(`${url}/oauth/authorize?${query.toString()}`));
    expect([status, headers['location']]).toEqual([302, expect.stringMatching(/\?code=[\da-f]{64}&state=xyz&iss=/)]);
  });

  it('serves the metadata of an issuer with a path at both well-known URLs', async () => {
    const issuer = 'https://id.example/tenant';
    const url = await start({ issuer });
    for (const path of [
      '/.well-known/oauth-authorization-server/tenant',
      '/tenant/.well-known/oauth-authorization-server',
    ]) {
      const { status, body, headers } = await readResponse(get(url + path));
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { issuer, token_endpoint: `${issuer}/oauth/token` },
      });
      expect(headers['access-control-allow-origin']).toBe('*');
    }
  });

  it('responds to preflight requests of allowed origins', async () => {
    const origin = 'https://app.example';
    const url = await start({ cors: { origins: [origin] } });
    const preflight = { origin, 'access-control-request-method': 'POST' };
    const { status, headers } = await readResponse(
      fetch(`${url}/oauth/token`, { method: 'OPTIONS', headers: preflight }),
    );
    expect({ status, headers }).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': origin } });
    const credentials = { ...basic('web', 'web-secret'), origin };
    const answer = await readResponse(post(`${url}/oauth/token`, { grant_type: 'client_credentials' }, credentials));
    expect(answer).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': origin, vary: 'Origin' } });
  });

  it('reads JSON content up to the size limit at endpoints that accept it', async () => {
    const url = await start({
      features: [...features, registration({ open: true })],
    });
    const send = (body: string) =>
      readResponse(
        fetch(`${url}/oauth/register`, { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
      );
    expect(await send(JSON.stringify({ redirect_uris: [CALLBACK] }))).toMatchObject({
      status: 201,
      body: { client_id: expect.any(String), redirect_uris: [CALLBACK] },
    });
    expect(await send('{')).toMatchObject({
      status: 400,
      body: { error_description: 'Invalid request: content cannot be read' },
    });
    expect(await send(JSON.stringify({ client_name: 'x'.repeat(70_000) }))).toMatchObject({ status: 413 });
  });
});
