import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Context, OAuth2Module } from 'nest-oauth2';
import { accounts, type Mail } from 'nest-oauth2/accounts';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { waitUntil } from '../../support/environment/wait-until.js';
import { SECRET } from '../../support/servers/demo.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from '../pages/page-browser.js';
import { NEW_PASSWORD, PASSWORD, sectionForm, UserTable } from './account-application.js';

const ALICE = 'alice@example.com';

/** The users of all tenants, found by the tenant of the current request. The IDs of two tenants are equal. */
class TenantUsers extends UserTable {
  private readonly context = new OAuth2Context();
  private readonly tables = new Map<string, UserTable>();

  private get table(): UserTable {
    const { tenant } = this.context;
    if (tenant === undefined) throw new Error('no tenant');
    const table = this.tables.get(tenant) ?? new UserTable();
    this.tables.set(tenant, table);
    return table;
  }

  override findById(id: string) {
    return this.table.findById(id);
  }

  override findByEmail(email: string) {
    return this.table.findByEmail(email);
  }

  override async create(profile: { email: string; name?: string }) {
    return this.table.create(profile);
  }

  delete({ id }: { id: string }) {
    this.table.rows.delete(id);
  }
}

describe.each(ANY_PLATFORM)('accounts of tenants on %s', (platform) => {
  afterEach(stopApplications);

  it('have their own users, passwords and links, also for e-mails that are sent at the same time', async () => {
    const users = new TenantUsers();
    const mails: Mail[] = [];
    let delay = 0;
    const send = async (mail: Mail) => {
      await new Promise((resolve) => setTimeout(resolve, delay));
      mails.push(mail);
    };
    const { url } = await startApplication(platform, {
      imports: [
        OAuth2Module.forRoot({
          model: new MemoryStore({ users }),
          secret: SECRET,
          tenants: {
            findTenant: ({ path }) => path.split('/')[1],
            createTenantOptions: (tenant) =>
              ['acme', 'globex'].includes(tenant) && { issuer: `https://id.example/${tenant}` },
          },
          paths: { prefix: ':tenant/oauth' },
          features: [pages(), accounts({ users, mail: { send }, deletion: { gracePeriod: 0 } })],
        }),
      ],
    });
    const [acme, globex] = ['acme', 'globex'].map((tenant) => {
      const browser = new PageBrowser(url);
      const post = async (page: string, typed: Record<string, string>) =>
        browser.send(await browser.get(`/${tenant}/oauth/${page}`), typed);
      const mail = (template: string, count = 1) =>
        mails.filter((one) => one.template === template && one.link!.includes(`/${tenant}/`))[count - 1]!;
      return { browser, post, mail };
    }) as [Side, Side];
    const pathIn = ({ link }: Mail) => new URL(link!).pathname + new URL(link!).search;
    const choose = async ({ browser }: Side, path: string, password: string) =>
      browser.send(await browser.get(path), { new_password: password });

    await Promise.all([acme, globex].map(({ post }) => post('sign_up', { email: ALICE })));
    await waitUntil(() => acme.mail('signUp') && globex.mail('signUp'));
    const crossed = pathIn(acme.mail('signUp')).replace('/acme/', '/globex/');
    expect((await globex.browser.get(crossed)).status).toBe(410);
    expect((await choose(acme, pathIn(acme.mail('signUp')), PASSWORD)).status).toBe(303);
    expect((await choose(globex, pathIn(globex.mail('signUp')), NEW_PASSWORD)).status).toBe(303);

    await Promise.all([acme, globex].map(({ post }) => post('forgot_password', { email: ALICE })));
    await waitUntil(() => acme.mail('reset') && globex.mail('reset'));
    const reset = pathIn(acme.mail('reset'));
    expect((await globex.browser.get(reset.replace('/acme/', '/globex/'))).status).toBe(410);
    expect((await acme.browser.get(reset)).status).toBe(200);
    const signIn = async (tenant: string, password: string) =>
      (await new PageBrowser(url).signIn(`/${tenant}/oauth/login`, ALICE, password)).status;
    expect(await signIn('acme', PASSWORD)).toBe(303);
    expect(await signIn('globex', PASSWORD)).toBe(401);
    expect(await signIn('globex', NEW_PASSWORD)).toBe(303);

    // Users of two tenants have the same ID, and only one of them deletes the account.
    const deletePath = '/acme/oauth/account';
    const form = await sectionForm(acme.browser, 'data', 'delete', deletePath);
    // The session of one tenant is none of another, and neither is its form.
    const elsewhere = deletePath.replace('acme', 'globex');
    const typed = { ...form, confirm: '1' };
    expect((await acme.browser.post(elsewhere, typed)).location).toMatch(/^\/globex\/oauth\/login/);
    expect((await globex.browser.post(elsewhere, typed)).status).toBe(403);
    expect((await acme.browser.post(deletePath, { ...form, confirm: '1' })).status).toBe(303);
    expect([await signIn('acme', PASSWORD), await signIn('globex', NEW_PASSWORD)]).toEqual([401, 303]);
    expect((await globex.browser.get('/globex/oauth/account')).status).toBe(200);

    // An e-mail of one tenant that waits until those of another tenant are sent.
    await globex.post('sign_up', { email: 'bob@example.com' });
    await waitUntil(() => globex.mail('signUp', 2));
    await choose(globex, pathIn(globex.mail('signUp', 2)), PASSWORD);
    delay = 400;
    for (const name of ['a', 'b', 'c', 'd']) await acme.post('sign_up', { email: `${name}@example.com` });
    await globex.post('forgot_password', { email: 'bob@example.com' });
    await waitUntil(() => globex.mail('reset', 2));
    expect(globex.mail('reset', 2)).toMatchObject({ to: 'bob@example.com' });
  });
});

interface Side {
  browser: PageBrowser;
  post(page: string, typed: Record<string, string>): Promise<unknown>;
  mail(template: string, count?: number): Mail;
}
