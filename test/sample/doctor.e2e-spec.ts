import { afterAll, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { OAuth2Report } from 'nest-oauth2/report';
import { ANY_PLATFORM, startApplication, stopApplications } from '../support/test-application.js';

const PASSWORD = 'The README gets a token with one curl command. No person signs in.';

/** The findings of each sample as it is started in development, each with the reason why the sample keeps it. */
const EXPLAINED: Record<string, Record<string, string>> = {
  '01-quick-start/src': { 'client-password-grant client:demo-web': PASSWORD },
  '02-migrated-model/src': {
    'token-no-replay-detection model': 'The sample shows an old model as it is.',
    'token-not-atomic model': 'The sample shows an old model as it is.',
  },
  '07-websockets/src': { 'client-password-grant client:demo': PASSWORD },
  '09-two-servers/src': { 'client-password-grant client:shop-app': PASSWORD },
  '10-mcp/src': {},
  '11-openid/src/server': {},
  '12-social-login/src/server': {},
  '13-audit/src': { 'client-password-grant client:demo': PASSWORD },
  '14-swagger/src': {},
  '15-device/src/server': {
    'secret-guessable option:secret': 'The sample keeps nothing, and its secret is in the code.',
  },
  '18-payments/src/server': {},
};

describe('doctor', () => {
  const file = process.env['DATABASE_FILE'];
  afterAll(async () => {
    await stopApplications();
    if (file === undefined) delete process.env['DATABASE_FILE'];
  });

  it.each(Object.entries(EXPLAINED))('has no unexplained findings in sample/%s', async (sample, explained) => {
    process.env['DATABASE_FILE'] = ':memory:';
    const { AppModule } = (await import(`../../sample/${sample}/app.module.js`)) as { AppModule: Type };
    const { app } = await startApplication(ANY_PLATFORM[0]!, { imports: [AppModule], providers: [OAuth2Report] });
    const { findings, rules } = await app.get(OAuth2Report).create();
    expect(rules).toBeGreaterThanOrEqual(60);
    const found = findings.filter(({ severity }) => severity !== 'info');
    expect(found.map(({ rule, subject }) => `${rule} ${subject}`)).toEqual(Object.keys(explained));
  });
});
