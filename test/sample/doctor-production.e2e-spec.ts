import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module, type Type } from '@nestjs/common';
import { OAuth2Maintenance, OAuth2Module } from 'nest-oauth2';
import { fapi2 } from 'nest-oauth2/fapi';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { type AcceptedFinding, OAuth2Report, openFindings } from 'nest-oauth2/report';
import { pages } from 'nest-oauth2/pages';
import { DurableStore, SECRET, users } from '../src/report/reported-server.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../support/servers/test-application.js';

const until = '2999-12-31';
const accept = (entries: Record<string, string>): AcceptedFinding[] =>
  Object.entries(entries).map(([key, reason]) => {
    const [rule, subject] = key.split(' ');
    return subject === undefined ? { rule: rule!, reason, until } : { rule: rule!, subject, reason, until };
  });

const DEMO_CLIENTS = 'The demo clients run on the computer of the reader.';
const DEMO_USERS = 'The sample has one user, whose password does not change.';

const QUICK_START = accept({
  'client-password-grant client:demo-web': 'The README gets a token with one curl command.',
  'client-user-and-own-tokens client:demo-web': 'The README shows each grant with one client.',
  'redirect-loopback-of-web-client': DEMO_CLIENTS,
  'redirect-localhost-name': DEMO_CLIENTS,
  'password-change-keeps-sessions': DEMO_USERS,
  'store-not-pruned': 'The sample deletes expired records at its start.',
});

const MCP = accept({
  'login-limits-by-typed-name': DEMO_USERS,
  'password-change-keeps-sessions': DEMO_USERS,
  'store-not-pruned': 'The sample is started for a demonstration.',
});

/** A server for FAPI 2.0, with a client that meets the profile. */
@Module({
  imports: [
    OAuth2Module.forRoot({
      issuer: 'https://id.company.com',
      secret: SECRET,
      model: new DurableStore({
        users,
        clients: [
          {
            id: 'bank',
            grants: ['authorization_code', 'refresh_token'],
            redirectUris: ['https://bank.company.com/callback'],
            tokenEndpointAuthMethod: 'private_key_jwt',
            jwksUri: 'https://bank.company.com/jwks',
            scopes: ['openid', 'accounts'],
          },
        ],
      }),
      features: [
        ...fapi2({ scopes: ['accounts'] }),
        openid({ alg: 'PS256' }),
        keys({ secret: SECRET, algorithms: ['PS256'], rotateEvery: 7_776_000 }),
        pages(),
      ],
    }),
  ],
  providers: [OAuth2Maintenance],
})
class FapiModule {}

describe('doctor with the settings of production', () => {
  const VARIABLES = { NODE_ENV: 'production', DATABASE_FILE: ':memory:', ISSUER: 'https://id.company.com' };
  const before = Object.keys(VARIABLES).map((name) => [name, process.env[name]] as const);

  beforeAll(() => void Object.assign(process.env, VARIABLES));
  afterAll(async () => {
    await stopApplications();
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  const load = async (sample: string) =>
    ((await import(`../../sample/${sample}/src/app.module.js`)) as { AppModule: Type }).AppModule;

  it.each([
    ['sample/01-quick-start', () => load('01-quick-start'), QUICK_START],
    ['sample/10-mcp', () => load('10-mcp'), MCP],
    ['a server for FAPI 2.0', () => FapiModule, []],
  ])('has no findings that are not accepted in %s', async (_, module, accepted) => {
    const providers = [OAuth2Report.with({ accepted })];
    const { app } = await startApplication(ANY_PLATFORM[0]!, { imports: [await module()], providers });
    const report = await app.get(OAuth2Report).create();
    expect(report.examined).toEqual(['https://id.company.com']);
    expect(openFindings(report, 'low').map(({ rule, subject }) => `${rule} ${subject}`)).toEqual([]);
    expect(report.unusedAcceptances).toEqual([]);
  });
});
