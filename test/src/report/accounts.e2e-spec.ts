import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { accounts } from 'nest-oauth2/accounts';
import type { Feature } from 'nest-oauth2/features';
import { pages } from 'nest-oauth2/pages';
import { OAuth2Report } from 'nest-oauth2/report';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { TableWithPasswords, UserTable } from '../accounts/account-application.js';
import { SECRET } from './reported-server.js';

const PASSWORD_RULES = ['login-limits-by-typed-name', 'password-change-keeps-sessions'];

describe.each(ANY_PLATFORM)('the report about passwords on %s', (platform) => {
  afterEach(stopApplications);

  async function findRules(users: UserTable, features: Feature[]): Promise<string[]> {
    const options = { model: new MemoryStore({ users }), issuer: 'https://id.example', secret: SECRET, features };
    const module = { imports: [OAuth2Module.forRoot(options)], providers: [OAuth2Report] };
    const { app } = await startApplication(platform, module);
    const { findings } = await app.get(OAuth2Report).create();
    return findings.map(({ rule }) => rule).filter((rule) => PASSWORD_RULES.includes(rule));
  }

  it('has findings about users who verify passwords themselves, but not about those of accounts()', async () => {
    class OwnPasswords extends UserTable {
      findByCredentials() {
        return null;
      }
    }
    expect(await findRules(new OwnPasswords(), [pages()])).toEqual(PASSWORD_RULES);
    const withAccounts = async (users: UserTable) =>
      findRules(users, [pages(), accounts({ users, mail: { send: () => undefined } })]);
    expect(await withAccounts(new UserTable())).toEqual([]);
    expect(await withAccounts(new TableWithPasswords())).toEqual(['password-change-keeps-sessions']);
  });
});
