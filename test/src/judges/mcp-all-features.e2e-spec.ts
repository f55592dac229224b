import { afterEach, describe, expect, it } from '@jest/globals';
import type { Feature } from 'nest-oauth2/features';
import { mcp } from 'nest-oauth2/mcp';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { pageOf } from '../../support/clients/consent.js';
import { everyFeature, MODEL_OF_EVERY_FEATURE } from '../../support/servers/every-feature.js';
import { freePort } from '../../support/environment/free-port.js';
import { readResponse } from '../../support/clients/http.js';
import { mcpModule, mcpStore, NOTES } from '../../support/servers/mcp-application.js';
import {
  ANY_PLATFORM,
  type Platform,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';
import { EC, RSA } from '../../support/servers/openid-server.js';
import { type Judge, JUDGES, ClientStorage } from './mcp-client.js';

/** Opens a URL in a browser in which Alice is signed in and consents to everything. */
async function browse(url: URL): Promise<URL> {
  const cookie = { cookie: 'user=alice' };
  const opened = await fetch(url, { headers: cookie, redirect: 'manual' });
  const location = opened.headers.get('location');
  if (location !== null) return new URL(location);
  const { action, csrf_token: csrfToken } = pageOf(await readResponse(opened));
  const body = new URLSearchParams({ csrf_token: csrfToken, decision: 'allow' });
  const answered = await fetch(new URL(action, url), { method: 'POST', headers: cookie, body, redirect: 'manual' });
  return new URL(answered.headers.get('location')!);
}

const SETUPS: readonly (readonly [string, (offlineAccess: boolean) => readonly Feature[]])[] = [
  ['openid()', (offlineAccess) => [keys({ from: [EC, RSA] }), openid({ offlineAccess })]],
  ['all features', (offlineAccess) => everyFeature({ offlineAccess })],
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
  const model = Object.assign(mcpStore(), MODEL_OF_EVERY_FEATURE);
  const all = [mcp(NOTES), ...features];
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
    const url = await host('express', [keys({ from: [EC, RSA] }), openid({ offlineAccess: true })]);
    const keeper = new ClientStorage(browse, { clientId: 'mcp-app' });
    const client = JUDGES.find(({ name }) => name === '@modelcontextprotocol/client')!;
    const connection = await client.connect(`${url}/mcp`, keeper);
    expect(keeper.shown[0]!.searchParams.get('scope')).toBe('notes:read offline_access');
    expect(keeper.tokens.scope).toBe('notes:read');
    await connection.close();
  });
});
