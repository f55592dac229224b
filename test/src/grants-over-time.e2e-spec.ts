import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, type OAuth2ModuleOptions } from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { advanceClock } from '../support/environment/advance-clock.js';
import { readResponse, basic, issued, post, REFRESH_TOKEN, expectedRefusal } from '../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../support/servers/test-application.js';

const alice = { id: 'alice' };
const grants = ['password', 'refresh_token'];

describe.each(ANY_PLATFORM)('a grant on %s', (platform) => {
  afterEach(stopApplications);

  async function start(options: Partial<OAuth2ModuleOptions> = {}) {
    const web = { id: 'web', secret: 's3cret', grants, scopes: ['read', 'write'] };
    const spa = { id: 'spa', tokenEndpointAuthMethod: 'none', grants, scopes: ['read'] };
    const clients = { findById: (id: string) => [web, spa].find((client) => client.id === id) };
    const users = { findById: () => alice, findByCredentials: () => alice };
    const model = new MemoryStore({ clients, users });
    const { url } = await startApplication(platform, { imports: [OAuth2Module.forRoot({ model, ...options })] });
    const ask = (form: Record<string, string>, headers = basic('web', 's3cret')) =>
      readResponse(post(`${url}/oauth/token`, form, headers));
    const sign = (form = {}, headers?: ReturnType<typeof basic>) =>
      ask({ grant_type: 'password', username: 'alice', password: 'x', scope: 'read', ...form }, headers);
    const refresh = ({ body }: { body: unknown }, form = {}, headers?: ReturnType<typeof basic>) =>
      ask({ grant_type: 'refresh_token', ...(body as { refresh_token: string }), ...form }, headers);
    return { web, sign, refresh };
  }

  it('loses the scopes that are withdrawn from its client', async () => {
    const { web, sign, refresh } = await start();
    const token = await sign({ scope: 'read write' });
    web.scopes = ['read'];
    expect(await refresh(token, { scope: '' })).toEqual(issued({ refresh_token: REFRESH_TOKEN, scope: 'read' }));
  });

  it('rotates the refresh tokens of public clients, even if alwaysIssueNewRefreshToken is false', async () => {
    const { sign, refresh } = await start({ alwaysIssueNewRefreshToken: false });
    expect(await refresh(await sign())).toEqual(issued({ scope: 'read' }));
    const nobody = {} as ReturnType<typeof basic>;
    const token = await sign({ client_id: 'spa' }, nobody);
    const spa = { client_id: 'spa' };
    expect(await refresh(token, spa, nobody)).toEqual(issued({ refresh_token: REFRESH_TOKEN, scope: 'read' }));
    expect(await refresh(token, spa, nobody)).toEqual(
      expectedRefusal('invalid_grant', 'Invalid grant: refresh token is invalid'),
    );
  });

  it('expires after grantLifetime, even if its refresh token is new', async () => {
    const { sign, refresh } = await start({ grantLifetime: 300 });
    const token = await refresh(await sign());
    expect((token.body as { expires_in: number }).expires_in).toBeLessThanOrEqual(300);
    advanceClock(301_000);
    const { status, body } = await refresh(token);
    expect([status, (body as { error: string }).error]).toEqual([400, 'invalid_grant']);
  });
});
