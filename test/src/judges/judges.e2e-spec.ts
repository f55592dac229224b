import { Controller, Get, UseGuards } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CurrentUser, OAuth2Module, OAuthGuard, Scopes } from 'nest-oauth2';
import {
  introspection,
  protectedResource,
  pushedRequests,
  resourceIndicators,
  revocation,
  serverMetadata,
} from 'nest-oauth2/features';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { agree } from '../../support/clients/consent.js';
import { DemoInteraction, SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { get } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { CALLBACK, type Discover, type Judge } from './judge.js';
import { discover as oauth4webapi } from './oauth4webapi.js';
import { discover as openidClient } from './openid-client.js';

// Two independent client libraries discover the server from its issuer and use all of its endpoints over HTTP. They
// validate the responses strictly by the RFCs.

const JUDGES: Record<string, Discover> = { oauth4webapi, 'openid-client': openidClient };
const MAIL = 'https://mail.example/';

@Controller('notes')
@UseGuards(OAuthGuard)
class NotesController {
  @Get()
  @Scopes('notes:read')
  list(@CurrentUser('id', { optional: true }) user: string | undefined) {
    return { user };
  }
}

const known = { redirectUris: [CALLBACK], scopes: ['notes:read', 'notes:write'], defaultScope: ['notes:read'] };
const clients = [
  { id: 'web', secret: 'web-secret', grants: ['authorization_code', 'client_credentials', 'refresh_token'], ...known },
  { id: 'spa', tokenEndpointAuthMethod: 'none', grants: ['authorization_code', 'refresh_token'], ...known },
  {
    id: 'pushing',
    secret: 'secret',
    grants: ['authorization_code'],
    requirePushedAuthorizationRequests: true,
    ...known,
  },
  { id: 'mail-api', secret: 'mail-secret', grants: [], resources: [MAIL] },
];

/** The functions and URLs that a test of a client library uses. */
interface Court {
  judge: Judge;
  as(id: string): Promise<Judge>;
  /** Alice’s browser, in which she consents. */
  browser(url: URL): Promise<URL>;
  /** Alice’s browser, in which she denies. */
  refusing(url: URL): Promise<URL>;
  notes: URL;
}

const GONE = { active: false };
const refused = (error: string) => ({ error });
const READ = { scope: 'notes:read' };

const SENTENCES: [string, (court: Court) => Promise<void>][] = [
  [
    'signs a user in by code and PKCE, and calls an API',
    async ({ judge, browser, notes }) => {
      const tokens = await judge.signIn(browser, READ);
      expect(tokens).toMatchObject({ token_type: 'bearer', refresh_token: expect.any(String) });
      expect(await judge.call(notes, tokens.access_token)).toBe(200);
    },
  ],
  [
    'signs a user in as a public client',
    async ({ as, browser, notes }) => {
      const judge = await as('spa');
      const { access_token: token } = await judge.signIn(browser, READ);
      expect(await judge.call(notes, token)).toBe(200);
    },
  ],
  [
    'receives access_denied if the user denies',
    async ({ judge, refusing }) => {
      await expect(judge.signIn(refusing, READ)).rejects.toMatchObject(refused('access_denied'));
    },
  ],
  [
    'receives invalid_scope for a scope it may not have',
    async ({ judge, browser }) => {
      await expect(judge.signIn(browser, { scope: 'admin' })).rejects.toMatchObject(refused('invalid_scope'));
      await expect(judge.askForItself({ scope: 'admin' })).rejects.toMatchObject(refused('invalid_scope'));
    },
  ],
  [
    'gets a client credentials token',
    async ({ judge, notes }) => {
      const tokens = await judge.askForItself(READ);
      expect(tokens.refresh_token).toBeUndefined();
      expect(await judge.call(notes, tokens.access_token)).toBe(200);
    },
  ],
  [
    'refreshes once with each refresh token',
    async ({ judge, browser, notes }) => {
      const first = await judge.signIn(browser, READ);
      const second = await judge.refresh(first.refresh_token!);
      expect(second.refresh_token).not.toBe(first.refresh_token);
      expect(await judge.call(notes, second.access_token)).toBe(200);
      await expect(judge.refresh(first.refresh_token!)).rejects.toMatchObject(refused('invalid_grant'));
      // A replayed refresh token may be stolen, so the whole token family is revoked.
      await expect(judge.refresh(second.refresh_token!)).rejects.toMatchObject(refused('invalid_grant'));
      await expect(judge.call(notes, second.access_token)).rejects.toMatchObject({ status: 401 });
    },
  ],
  [
    'revokes only an access token',
    async ({ judge, browser, notes }) => {
      const tokens = await judge.signIn(browser, READ);
      await judge.revoke(tokens.access_token);
      await expect(judge.call(notes, tokens.access_token)).rejects.toMatchObject({ status: 401 });
      expect(await judge.refresh(tokens.refresh_token!)).toMatchObject({ access_token: expect.any(String) });
    },
  ],
  [
    'revokes a refresh token with all tokens of its grant',
    async ({ as, browser, notes }) => {
      const judge = await as('spa');
      const tokens = await judge.signIn(browser, READ);
      await judge.revoke(tokens.refresh_token!);
      await expect(judge.refresh(tokens.refresh_token!)).rejects.toMatchObject(refused('invalid_grant'));
      await expect(judge.call(notes, tokens.access_token)).rejects.toMatchObject({ status: 401 });
    },
  ],
  [
    'gets the same response when it revokes an unknown token',
    async ({ judge }) => expect(await judge.revoke('unknown')).toBeUndefined(),
  ],
  [
    'introspects its tokens while active and after revocation',
    async ({ judge, browser, notes }) => {
      const tokens = await judge.signIn(browser, READ);
      expect(await judge.introspect(tokens.access_token)).toEqual({
        active: true,
        aud: notes.href,
        client_id: 'web',
        exp: expect.any(Number),
        iat: expect.any(Number),
        iss: notes.origin,
        scope: 'notes:read',
        sub: 'alice',
        token_type: 'Bearer',
      });
      expect(await judge.introspect(tokens.refresh_token!)).toMatchObject({ active: true, client_id: 'web' });
      await judge.revoke(tokens.access_token);
      expect(await judge.introspect(tokens.access_token)).toEqual(GONE);
    },
  ],
  [
    'introspects tokens of other clients only if it is in their audience',
    async ({ judge, as }) => {
      const [api, other] = [await as('mail-api'), await as('pushing')];
      const { access_token: mail } = await judge.askForItself({ ...READ, resource: MAIL });
      const { access_token: notes } = await judge.askForItself(READ);
      expect(await api.introspect(mail)).toMatchObject({ active: true, aud: MAIL, sub: 'web' });
      expect(await api.introspect(notes)).toEqual(GONE);
      expect(await other.introspect(mail)).toEqual(GONE);
    },
  ],
  [
    'signs a user in with a pushed authorization request',
    async ({ judge, as, browser, notes }) => {
      const { access_token: token } = await judge.signInPushed(browser, READ);
      expect(await judge.call(notes, token)).toBe(200);
      const spa = await as('spa');
      expect(await spa.call(notes, (await spa.signInPushed(browser, READ)).access_token)).toBe(200);
    },
  ],
  [
    'gets errors of a pushed authorization request directly',
    async ({ judge, browser }) => {
      const requested = judge.signInPushed(browser, { scope: 'admin' });
      await expect(requested).rejects.toMatchObject({ ...refused('invalid_scope'), status: 400 });
    },
  ],
  [
    'must push its requests if it is registered so',
    async ({ as, browser, notes }) => {
      const judge = await as('pushing');
      await expect(judge.signIn(browser, READ)).rejects.toMatchObject(refused('invalid_request'));
      expect(await judge.call(notes, (await judge.signInPushed(browser, READ)).access_token)).toBe(200);
    },
  ],
  [
    'gets tokens for a resource that other resources reject',
    async ({ judge, browser, notes }) => {
      const both = new URLSearchParams([
        ['scope', 'notes:read'],
        ['resource', notes.href],
        ['resource', MAIL],
      ]);
      const tokens = await judge.signIn(browser, both);
      const mail = await judge.refresh(tokens.refresh_token!, { resource: MAIL });
      expect(await judge.introspect(mail.access_token)).toMatchObject({ aud: MAIL });
      await expect(judge.call(notes, mail.access_token)).rejects.toMatchObject({ status: 401 });
      // The grant still includes the other resource.
      const back = await judge.refresh(mail.refresh_token!, { resource: notes.href });
      expect(await judge.call(notes, back.access_token)).toBe(200);
    },
  ],
  [
    'gets no tokens for a resource that is unknown or was not granted',
    async ({ judge, browser }) => {
      const unknown = { ...READ, resource: 'https://unknown.example/' };
      const wrong = refused('invalid_target');
      await expect(judge.askForItself(unknown)).rejects.toMatchObject(wrong);
      await expect(judge.signIn(browser, unknown)).rejects.toMatchObject(wrong);
      await expect(judge.signInPushed(browser, unknown)).rejects.toMatchObject(wrong);
      const { refresh_token: token } = await judge.signIn(browser, { ...READ, resource: MAIL });
      await expect(judge.refresh(token!, { resource: unknown.resource })).rejects.toMatchObject(wrong);
    },
  ],
  [
    'discovers the metadata of a resource from its challenge',
    async ({ judge, notes }) => {
      const url = `${notes.origin}/.well-known/oauth-protected-resource/notes`;
      await expect(judge.call(notes, 'unknown')).rejects.toMatchObject({
        cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token', resource_metadata: url } }],
      });
      expect(await (await get(url)).json()).toMatchObject({ authorization_servers: [notes.origin] });
    },
  ],
];

/** Submits this decision on the consent page. */
const browserOf = (decision: string) => async (url: URL) => agree(url, decision);

describe.each(PLATFORMS)('a server on %s, discovered by', (platform) => {
  let issuer: string;

  beforeAll(async () => {
    const port = await freePort();
    issuer = `http://127.0.0.1:${port}`;
    const alice = { id: 'alice' };
    const notes = `${issuer}/notes`;
    const imports = [
      OAuth2Module.forRoot({
        model: new MemoryStore({ clients, users: { findById: () => alice, findByCredentials: () => undefined } }),
        // Consent is not remembered, so the page is always shown.
        interaction: { useFactory: () => Object.assign(new DemoInteraction(), { hasConsented: () => false }) },
        secret: SECRET,
        issuer,
        features: [
          serverMetadata({ scopes: ['notes:read', 'notes:write'] }),
          revocation(),
          introspection(),
          pushedRequests(),
          protectedResource({ resources: [{ resource: notes }] }),
          resourceIndicators({ resources: [MAIL], default: notes }),
        ],
      }),
    ];
    await startApplication(platform, { imports, controllers: [NotesController] }, { port });
  });
  afterAll(stopApplications);

  describe.each(Object.keys(JUDGES))('%s, which', (name) => {
    it.each(SENTENCES)('%s', async (_, expectSo) => {
      const discover = JUDGES[name]!;
      const secrets: Record<string, string> = Object.fromEntries(clients.map(({ id, secret = '' }) => [id, secret]));
      const as = (id: string) => discover(issuer, { id, ...(secrets[id] && { secret: secrets[id] }) });
      const court = { as, browser: browserOf('allow'), refusing: browserOf('deny'), notes: new URL(`${issuer}/notes`) };
      await expectSo({ ...court, judge: await as('web') });
    });
  });
});
