import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CryptoKey, exportJWK, generateKeyPair } from 'jose';
import { OAuth2Grants } from 'nest-oauth2';
import { mcp } from 'nest-oauth2/mcp';
import { agree, openConsentPage } from '../../support/clients/consent.js';
import { freePort } from '../../support/environment/free-port.js';
import { mcpModule, NOTES } from '../../support/servers/mcp-application.js';
import { ANY_PLATFORM, PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { CERTIFICATE, json, TlsServer } from '../../support/servers/tls-server.js';
import { ClientStorage, JUDGES } from '../judges/mcp-client.js';
import { CLIENT_ROWS, type ClientRow } from './client-rows.js';
import { ClientRun } from './client-run.js';
import { CLIENT_SETUPS, type ClientSetup } from './client-setups.js';

const documents = new TlsServer();
/** All host names in these tests resolve to this machine, and the features may connect to it. */
const fetched = { lookup: async () => ['127.0.0.1'], allow: ['127.0.0.1'], ca: CERTIFICATE };
let key: CryptoKey;

beforeAll(async () => {
  await documents.start();
  const pair = await generateKeyPair('RS256');
  key = pair.privateKey;
  documents.replies['/jwks.json'] = json({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'signing' }] });
});
afterAll(() => documents.stop());

/** Publishes the document of a client at this machine, with all members but the two URLs as the client publishes them. */
function publish({ document }: ClientRow): string {
  if (!document) return '';
  const { pathname } = new URL(document.client_id);
  const client_id = documents.url(pathname);
  const jwks_uri = document.jwks_uri === undefined ? undefined : documents.url('/jwks.json');
  documents.replies[pathname] = json({ ...document, client_id, jwks_uri });
  return client_id;
}

const CASES = PLATFORMS.flatMap((platform) =>
  Object.entries(CLIENT_SETUPS).map(([name, start]) => [platform, name, start] as const),
);

describe.each(CASES)('on %s with %s, an MCP server', (platform, _setup, start) => {
  let setup: ClientSetup;
  beforeAll(async () => {
    setup = await start(platform, fetched);
  });
  afterAll(async () => {
    setup.stop();
    await stopApplications();
  });

  it.each(CLIENT_ROWS.map((row) => [row.client, row] as const))(
    'connects %s: discovery, identity, tokens, tool, step-up, refresh and sign-out',
    async (_client, row) => {
      const run = new ClientRun(row, setup.endpoint);
      await run.discover();
      await run.identify(publish(row), key);
      const first = await run.authorize(run.firstScope);
      expect(first.scope).toBe('notes:read');
      expect((await run.call('list_notes', first)).status).toBe(200);
      const required = await run.challenged('add_note', first);
      expect(required).toBe('notes:read notes:write');

      const more = await run.authorize(required);
      expect((await run.call('add_note', more)).status).toBe(200);
      const refreshed = await run.refresh(more);
      expect((await run.call('add_note', refreshed)).status).toBe(200);

      const revoked = row.signOut === 'revocation' && (await run.revoke(refreshed));
      if (!revoked) await new OAuth2Grants(setup.store).end({ userId: 'alice', clientId: run.clientId });
      expect((await run.call('add_note', refreshed)).status).toBe(401);
      await expect(run.refresh(refreshed)).rejects.toThrow('400 {"error":"invalid_grant"');
    },
  );

  it.each(JUDGES.map((judge) => [judge.name, judge] as const))('connects %s itself', async (_name, judge) => {
    // With a refresh token, `@modelcontextprotocol/sdk` refreshes instead of stepping up.
    const storage = new ClientStorage(agree, { grants: ['authorization_code'] });
    const connection = await judge.connect(setup.endpoint, storage);
    expect(await connection.callTool('list_notes')).toMatchObject({ content: [{ text: 'Follow the white rabbit' }] });
    expect(await connection.callTool('add_note')).toMatchObject({ content: [{ text: 'added' }] });
    await connection.close();
  });
});

describe.each(ANY_PLATFORM)('on %s, an MCP server that pins the documents of real clients', (platform) => {
  let url: string;
  const described = CLIENT_ROWS.filter((row) => row.document);
  beforeAll(async () => {
    url = `http://127.0.0.1:${await freePort()}`;
    const clientIdDocuments = { pinned: described.map(({ document }) => document!) };
    const options = { issuer: url, features: [mcp({ ...NOTES, clientIdDocuments })] };
    await startApplication(platform, mcpModule(options), { port: Number(new URL(url).port) });
  });
  afterAll(stopApplications);

  it.each(described.map((row) => [row.client, row] as const))(
    'shows %s on the consent page without a request to its host',
    async (_client, { document, redirectUri }) => {
      const parameters = {
        response_type: 'code',
        client_id: document!.client_id,
        redirect_uri: redirectUri,
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
        resource: `${url}/mcp`,
      };
      const page = await openConsentPage(url, parameters, 'alice');
      expect(page).toMatchObject({ status: 200, body: expect.stringContaining(document!.client_id) });
    },
  );
});
