import type { Server } from 'node:http';
import type { Socket } from 'node:net';

import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { OAuthGuard, Scopes } from 'nest-oauth2';
import { ATTACKS, attackLab, type AttackLabOptions, AttackLabError } from 'nest-oauth2/testing';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { ANY_PLATFORM, PLATFORMS, startApplication, stopApplications } from '../support/servers/test-application.js';
import { SIGN_IN, weakModule } from './weak-application.js';

/** A busy machine may be slow. */
const OPTIONS: AttackLabOptions = { signIn: SIGN_IN, guarded: '/notes', pages: ['/settings'], patience: 60_000 };
const TIMEOUT = 300_000;
const [platform] = ANY_PLATFORM;

afterEach(stopApplications);

describe('attackLab()', () => {
  it.each(PLATFORMS)(
    'finds nothing in a correct application on %s, and carries out every attack that applies',
    async (on) => {
      const { app } = await startApplication(on, weakModule());
      const report = await attackLab(app, { ...OPTIONS, callers: on === 'express' ? 200 : 20, timeLimit: 290 });
      expect(report.of('succeeded')).toEqual([]);
      expect(report.of('inconclusive')).toEqual([]);
      expect(report.results.map(({ id }) => id)).toEqual(ATTACKS.map(({ id }) => id));
      expect(report.of('resisted').length).toBeGreaterThanOrEqual(80);
      report.assertResisted();
    },
    TIMEOUT,
  );

  it('writes the same report for the same seed, and removes its clients', async () => {
    const only = ['code-replay', 'refresh-replay', 'csrf-consent', 'client-wrong-secret', 'scope-machine'];
    const { app } = await startApplication(platform!, weakModule());
    const [one, other] = [await attackLab(app, { ...OPTIONS, only }), await attackLab(app, { ...OPTIONS, only })];
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
    expect(one.of('resisted')).toHaveLength(only.length);
    const model = app.get('OAuth2Clients') as { list(): Promise<{ clients: object[] }> };
    expect((await model.list()).clients).toEqual([]);
  });

  it('requests the scope that the guarded route requires, although the server publishes other scopes', async () => {
    @Controller('notes')
    class ArchiveController {
      @Get()
      @UseGuards(OAuthGuard)
      @Scopes('archive')
      list() {
        return [];
      }
    }
    const { app } = await startApplication(platform!, weakModule({ controllers: [ArchiveController] }));
    const report = await attackLab(app, { ...OPTIONS, only: ['guard-scope'] });
    expect(report.results).toMatchObject([{ verdict: 'resisted' }]);
  });

  it('skips attacks with a reason, and rejects unknown attacks and missing reasons', async () => {
    const { app } = await startApplication(platform!, weakModule());
    const only = ['code-replay'];
    const report = await attackLab(app, { ...OPTIONS, only, skip: { 'code-replay': 'known' } });
    expect(report.results).toMatchObject([{ verdict: 'not applicable', detail: 'skipped: known' }]);
    await expect(attackLab(app, { ...OPTIONS, skip: { 'code-replay': ' ' } })).rejects.toThrow('no reason');
    await expect(attackLab(app, { ...OPTIONS, only: ['nothing'] })).rejects.toThrow('there is no attack `nothing`');
    await expect(attackLab(app)).rejects.toThrow('set `signIn`');
  });

  it.each([
    ['the password is wrong', { signIn: { username: 'alice', password: 'wrong' } }, 'rejected the user'],
    ['the route does not accept the token', { guarded: '/notes', scopes: ['other'] }, 'insufficient_scope'],
  ])('fails if %s, because then no attack would prove anything', async (_, options, message) => {
    const { app } = await startApplication(platform!, weakModule());
    const result = attackLab(app, { ...OPTIONS, ...options });
    await expect(result).rejects.toThrow(AttackLabError);
    await expect(result).rejects.toThrow(message);
  });

  it('reports what succeeded with a request without secrets, a remedy and one error', async () => {
    const { app } = await startApplication(
      platform!,
      weakModule({ options: { allowBearerTokensInQueryString: true } }),
    );
    const report = await attackLab(app, { ...OPTIONS, only: ['token-in-url', 'code-replay'] });
    expect(report.of('succeeded')).toEqual([
      {
        id: 'token-in-url',
        title: expect.any(String),
        source: 'RFC 9700 §4.3.2',
        verdict: 'succeeded',
        detail: 'the guarded route accepted a token in the URL',
        request: "curl -i 'https://id.example.com/notes?access_token=<access_token>'",
        remedy: 'Remove the option `allowBearerTokensInQueryString`.',
      },
    ]);
    expect(() => report.assertResisted()).toThrow(/token-in-url[^]*Repeat it: curl[^]*Remedy: Remove the option/);
    expect(report.toString()).toContain('✓ code-replay: resisted, POST /oauth/token: 400 invalid_grant');
  });

  it('lists the attacks that do not apply in one line for each reason', async () => {
    const { app } = await startApplication(platform!, weakModule());
    const report = await attackLab(app, { ...OPTIONS, only: ['tenant-code', 'code-replay', 'tenant-client'] });
    expect(report.toString().match(/^[✓-].*$/gm)).toEqual([
      '✓ code-replay: resisted, POST /oauth/token: 400 invalid_grant',
      '- not applicable, no second tenant is known: set `otherTenant`: tenant-code, tenant-client',
    ]);
  });

  it('sends a request again on a new connection if the application closed the idle one at that moment', async () => {
    const { app } = await startApplication(platform!, weakModule());
    const server = app.getHttpServer() as Server;
    const seen = new WeakSet<object>();
    let closed = 0;
    const emit = server.emit.bind(server);
    server.emit = (event: string, ...values: unknown[]) => {
      const { socket } = (values[0] ?? {}) as { socket?: Socket };
      if (event !== 'request' || !socket || !seen.has(socket)) {
        if (event === 'request' && socket) seen.add(socket);
        return emit(event, ...values);
      }
      closed += 1;
      socket.resetAndDestroy();
      return true;
    };
    const report = await attackLab(app, { ...OPTIONS, only: ['code-replay'] });
    expect(report.results).toMatchObject([{ verdict: 'resisted' }]);
    expect(closed).toBeGreaterThan(0);
  });

  it('ends soon if the application stops responding, and does not report that attacks were resisted', async () => {
    const silence = new Promise<never>(() => undefined);
    let calls = 0;
    const { app } = await startApplication(
      platform!,
      weakModule({
        model: (model) => {
          const { getAuthorizationCode } = MemoryStore.prototype;
          model.getAuthorizationCode = (code) => ((calls += 1) > 10 ? silence : getAuthorizationCode.call(model, code));
        },
      }),
    );
    const started = performance.now();
    const report = await attackLab(app, { ...OPTIONS, patience: 1000 });
    expect(performance.now() - started).toBeLessThan(30_000);
    expect(report.of('inconclusive').length).toBeGreaterThan(20);
    expect(() => report.assertResisted()).toThrow('got no response');
  });
});
