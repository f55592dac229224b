import { afterEach, describe, expect, it } from '@jest/globals';
import {
  authorizationDetails,
  deviceAuthorization,
  formPost,
  introspection,
  pushedRequests,
  revocation,
  tokenExchange,
} from 'nest-oauth2/features';
import { dpop, jarm, jwtAccessTokens, keys, privateKeyJwt, requestObjects } from 'nest-oauth2/jose';
import { mcp } from 'nest-oauth2/mcp';
import { ciba, logout, openid } from 'nest-oauth2/openid';
import type { Feature } from 'nest-oauth2/server';

import { pageOf } from '../../support/consent.js';
import { freePort } from '../../support/free-port.js';
import { readResponse } from '../../support/http.js';
import { mcpModule, mcpStore, NOTES } from '../../support/mcp-application.js';
import { ANY_PLATFORM, type Platform, startApplication, stopApplications } from '../../support/test-application.js';
import { EC, RSA } from '../../support/openid-server.js';
import { type Judge, JUDGES, ClientStorage } from './mcp-client.js';

/** Opens a URL in a browser in which Alice is signed in and consents to everything. */
async function browse(url: URL): Promise<URL> {
  const cookie = { cookie: 'user=alice' };
  const opened = await fetch(url, { headers: cookie, redirect: 'manual' });
  const location = opened.headers.get('location');
  if (location !== null) return new URL(location);
  const { action, ticket } = pageOf(await readResponse(opened));
  const body = new URLSearchParams({ ticket, decision: 'allow' });
  const answered = await fetch(new URL(action, url), { method: 'POST', headers: cookie, body, redirect: 'manual' });
  return new URL(answered.headers.get('location')!);
}

/** Features without effect on a client that does not use them. */
const optional = (): readonly Feature[] => [
  introspection(),
  revocation(),
  pushedRequests(),
  formPost(),
  tokenExchange(),
  deviceAuthorization({ verificationUri: 'https://id.example.com/device' }),
  authorizationDetails({ types: { note: {} } }),
  dpop(),
  privateKeyJwt(),
  requestObjects(),
  jarm(),
  jwtAccessTokens(),
  ciba(),
  logout(),
];

const SETUPS: readonly (readonly [string, (offlineAccess: boolean) => readonly Feature[]])[] = [
  ['openid()', (offlineAccess) => [openid({ offlineAccess })]],
  ['all features', (offlineAccess) => [openid({ offlineAccess }), ...optional()]],
];

const CASES = ANY_PLATFORM.flatMap((platform) =>
  JUDGES.flatMap((judge) =>
    SETUPS.flatMap(([name, features]) =>
      [false, true].map((offline): [Platform, string, string, boolean, Judge, readonly Feature[]] => [
        platform,
        judge.name,
        name,
        offline,
        judge,
        features(offline),
      ]),
    ),
  ),
);

const READ = { content: [{ type: 'text', text: 'Follow the white rabbit' }] };

async function host(platform: Platform, features: readonly Feature[]) {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const asking = { getClaims: () => ({}), findHintedUser: () => undefined, askUser: () => undefined };
  const model = Object.assign(mcpStore(), { ...asking, mayExchange: () => true });
  const all = [mcp(NOTES), keys({ from: [EC, RSA] }), ...features];
  await startApplication(platform, mcpModule({ model, issuer, features: all }), { port });
  return issuer;
}

describe('an MCP client of a server with mcp() and further features', () => {
  afterEach(stopApplications);

  it.each(CASES)('connects and steps up: on %s, %s, server with %s, offlineAccess: %j', async (...given) => {
    const [platform, , , , judge, features] = given;
    const url = await host(platform, features);
    // With a refresh token, `@modelcontextprotocol/sdk` refreshes instead of stepping up.
    for (const clientId of ['mcp-once', undefined]) {
      const keeper = new ClientStorage(browse, { ...(clientId && { clientId }), grants: ['authorization_code'] });
      const connection = await judge.connect(`${url}/mcp`, keeper);
      expect(await connection.callTool('list_notes')).toMatchObject(READ);
      expect(keeper.tokens.scope).toBe('notes:read');
      await connection.callTool('add_note');
      expect(keeper.tokens.scope).toBe('notes:read notes:write');
      await connection.close();
    }
  });

  it('requests offline_access if it is announced, and works although the server ignores it', async () => {
    const url = await host('express', [openid({ offlineAccess: true })]);
    const keeper = new ClientStorage(browse, { clientId: 'mcp-app' });
    const client = JUDGES.find(({ name }) => name === '@modelcontextprotocol/client')!;
    const connection = await client.connect(`${url}/mcp`, keeper);
    expect(keeper.shown[0]!.searchParams.get('scope')).toBe('notes:read offline_access');
    expect(keeper.tokens.scope).toBe('notes:read');
    await connection.close();
  });
});
