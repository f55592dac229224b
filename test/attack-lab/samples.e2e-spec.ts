import type { Type } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { attackLab, type AttackLabOptions } from 'nest-oauth2/testing';
import { AppModule as Payments } from '../../sample/18-payments/src/server/app.module.js';
import { signUpAt } from '../sample/sign-up.js';
import { PageBrowser } from '../src/pages/page-browser.js';
import { freePort } from '../support/environment/free-port.js';
import { startApplication, stopApplications } from '../support/servers/test-application.js';
import { SIGN_IN } from './weak-application.js';

/** The variable path prevents type-checking: an installed sample has its own types. */
const load = async (folder: string) =>
  ((await import(`../../sample/${folder}/src/app.module.js`)) as Record<string, Type>)['AppModule']!;

const scopes = ['notes:read', 'notes:write', 'profile'];

/** The user that signs up at sample/20-accounts, which has no user at first. */
const OWNER = { username: 'alice@example.com', password: 'violet kettle on the moor' };

interface Options extends AttackLabOptions {
  /** Called with the URL of the sample after the start. */
  prepare?(url: string): Promise<unknown>;
}

const SAMPLES: readonly [name: string, module: () => Promise<Type>, options: Options][] = [
  ['01-quick-start', () => load('01-quick-start'), { guarded: '/api/notes', scopes }],
  ['10-mcp', () => load('10-mcp'), { guarded: { path: '/mcp', method: 'POST' } }],
  ['18-payments', async () => Payments, {}],
  [
    '20-accounts',
    () => load('20-accounts'),
    {
      guarded: '/notes',
      scopes,
      signIn: OWNER,
      prepare: async (url) => signUpAt(new PageBrowser(url, { origin: url }), OWNER.username, OWNER.password),
    },
  ],
];

describe('attackLab() finds nothing in the sample', () => {
  const environment = { ...process.env };
  const port = freePort();

  beforeAll(async () => {
    Object.assign(process.env, { ISSUER: `http://localhost:${await port}`, DATABASE_FILE: ':memory:' });
  });
  afterEach(stopApplications);
  afterAll(() => {
    process.env = environment;
  });

  it.each(SAMPLES)(
    '%s',
    async (_, module, { prepare, ...options }) => {
      const { app } = await startApplication('express', { imports: [await module()] }, { port: await port });
      await prepare?.(process.env['ISSUER']!);
      const report = await attackLab(app, { signIn: SIGN_IN, ...options, callers: 20, timeLimit: 290 });
      expect([...report.of('succeeded'), ...report.of('inconclusive')]).toEqual([]);
      expect(report.of('resisted').length).toBeGreaterThan(75);
    },
    300_000,
  );
});
