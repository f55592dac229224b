import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { getOAuth2UpstreamsToken, InjectOAuth2Upstreams, OAuth2Module, OAuth2Upstreams } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { oidc, upstreams } from 'nest-oauth2/upstreams';

import { SECRET } from '../../support/servers/demo.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { Accounts, CLIENT, SiteBrowser } from './site.js';
import { StandIn } from './stand-in.js';

afterEach(stopApplications);

const ERIN = { sub: 'e-1', name: 'Erin' };
const platform = ANY_PLATFORM[0]!;

/** A provider, and the options of servers that store its tokens. */
function setUp() {
  const acme = new StandIn('https://acme.example');
  acme.issues = { expires_in: 3600 };
  const accounts = new Accounts();
  const options = () => ({
    model: new MemoryStore({ users: accounts }),
    secret: SECRET,
    features: [
      pages(),
      upstreams({
        providers: { acme: oidc({ issuer: acme.issuer, ...CLIENT }) },
        accounts,
        fetch: acme.fetch,
        vault: true,
      }),
    ],
  });
  return { acme, accounts, options };
}

describe('the vault of several servers', () => {
  it('keeps the tokens of tenants apart', async () => {
    const { acme, options } = setUp();
    const { url, app } = await startApplication(platform, {
      imports: [
        OAuth2Module.forRoot({
          ...options(),
          tenants: {
            findTenant: ({ request }) => request.get('x-tenant'),
            createTenantOptions: (tenant) => (tenant === 'none' ? undefined : { issuer: `https://${tenant}.example` }),
          },
        }),
      ],
    });
    await new SiteBrowser(url, { 'x-tenant': 'red' }).signInWith(acme, ERIN);
    const vault = app.get(OAuth2Upstreams);
    const [red, blue] = [await vault.forTenant('red'), await vault.forTenant('blue')];
    expect((await red.token({ id: '2' }, 'acme')).sub).toBe('e-1');
    expect([await red.list({ id: '2' }), await blue.list({ id: '2' })]).toMatchObject([[{ provider: 'acme' }], []]);
    await expect(blue.token({ id: '2' }, 'acme')).rejects.toMatchObject({
      reason: 'missing',
      url: expect.stringMatching(/^https:\/\/blue\.example\/oauth\/connections\/consent\?/),
    });
    // A link of one tenant is useless at another.
    const failure = (await red.token({ id: '2' }, 'acme', { scope: 'more' }).catch((error: unknown) => error)) as Error;
    const { pathname, search } = new URL((failure as Error & { url: string }).url);
    const other = new SiteBrowser(url, { 'x-tenant': 'blue' });
    await other.signInWith(acme, ERIN);
    expect((await other.get(pathname + search)).status).toBe(403);
    await expect(vault.forTenant('none')).rejects.toMatchObject({ code: 404 });
    await expect(vault.list({ id: '2' })).rejects.toThrow('With tenants, call `forTenant()`');
  });

  it('is injected by the name of its server', async () => {
    const { acme, options } = setUp();
    @Controller('vault')
    class VaultController {
      constructor(@InjectOAuth2Upstreams('partners') private readonly partners: OAuth2Upstreams) {}

      @Get()
      list() {
        return this.partners.list({ id: '2' });
      }
    }
    const { url, app } = await startApplication(platform, {
      imports: [
        OAuth2Module.forRoot({ ...options(), issuer: 'https://id.example.com' }),
        OAuth2Module.forRoot({
          ...options(),
          name: 'partners',
          issuer: 'https://partners.example.com',
          paths: { prefix: 'partners' },
        }),
      ],
      controllers: [VaultController],
    });
    await new SiteBrowser(url).signInWith(acme, ERIN);
    expect(await (await fetch(`${url}/vault`)).json()).toEqual([]);
    expect(await app.get<OAuth2Upstreams>(getOAuth2UpstreamsToken()).list({ id: '2' })).toHaveLength(1);
    expect(await app.get<OAuth2Upstreams>(getOAuth2UpstreamsToken('partners')).list({ id: '2' })).toEqual([]);
  });
});
