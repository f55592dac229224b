import type { Type } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { attackLab, type AttackLabOptions } from 'nest-oauth2/testing';
import { AppModule as Payments } from '../../sample/18-payments/src/server/app.module.js';
import { freePort } from '../support/free-port.js';
import { startApplication, stopApplications } from '../support/test-application.js';
import { SIGN_IN } from './weak-application.js';

/** The variable path prevents type-checking: an installed sample has its own types. */
const load = async (folder: string) =>
  ((await import(`../../sample/${folder}/src/app.module.js`)) as Record<string, Type>)['AppModule']!;

const scopes = ['notes:read', 'notes:write', 'profile'];

const SAMPLES: readonly [name: string, module: () => Promise<Type>, options: AttackLabOptions][] = [
  ['01-quick-start', () => load('01-quick-start'), { guarded: '/api/notes', scopes }],
  ['10-mcp', () => load('10-mcp'), { guarded: { path: '/mcp', method: 'POST' } }],
  ['18-payments', async () => Payments, {}],
];

describe('attackLab() finds nothing in the sample', () => {
  const environment = { ...process.env };
  const port = freePort();

  beforeAll(async () => {
    Object.assign(process.env, { ISSUER: `http://127.0.0.1:${await port}`, DATABASE_FILE: ':memory:' });
  });
  afterEach(stopApplications);
  afterAll(() => {
    process.env = environment;
  });

  it.each(SAMPLES)(
    '%s',
    async (_, module, options) => {
      const { app } = await startApplication('express', { imports: [await module()] }, { port: await port });
      const report = await attackLab(app, { signIn: SIGN_IN, ...options, callers: 20, timeLimit: 290 });
      expect([...report.of('succeeded'), ...report.of('inconclusive')]).toEqual([]);
      expect(report.of('resisted').length).toBeGreaterThan(75);
    },
    300_000,
  );
});
