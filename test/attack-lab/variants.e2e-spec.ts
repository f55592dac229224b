import { afterEach, describe, expect, it } from '@jest/globals';
import { ATTACKS, attackLab, type AttackResult } from 'nest-oauth2/testing';
import { ANY_PLATFORM, startApplication, stopApplications } from '../support/servers/test-application.js';
import { VARIANTS } from './variants.js';
import { SIGN_IN, weakModule } from './weak-application.js';

const [platform] = ANY_PLATFORM;
/** The results of all applications. */
const results: AttackResult[] = [];

afterEach(stopApplications);

describe('attackLab() raises no false alarm at', () => {
  it.each(Object.entries(VARIANTS))(
    '%s',
    async (_name, { module, options, prefix, prepare: change }) => {
      const prepare: typeof change = (app) => {
        if (prefix !== undefined) app.setGlobalPrefix(prefix);
        change?.(app);
      };
      const { app } = await startApplication(platform!, module(), { prepare });
      const report = await attackLab(app, { ...options, callers: 4, timeLimit: 290 });
      results.push(...report.results);
      expect([...report.of('succeeded'), ...report.of('inconclusive')]).toEqual([]);
      expect(report.of('resisted').length).toBeGreaterThan(10);
    },
    300_000,
  );

  // `faults.e2e-spec.ts` has a fault for each attack.
  it('applications that resist each attack, so that no attack only ever succeeds or does not apply', async () => {
    const resisted = () => new Set(results.filter(({ verdict }) => verdict === 'resisted').map(({ id }) => id));
    const missing = (all: ReadonlySet<string>) => ATTACKS.map(({ id }) => id).filter((id) => !all.has(id));
    const { app } = await startApplication(platform!, weakModule());
    const snapshot = { take: () => undefined, restore: () => undefined };
    const options = { signIn: SIGN_IN, guarded: '/notes', pages: ['/settings'], snapshot, callers: 4 };
    results.push(...(await attackLab(app, { ...options, only: missing(resisted()) })).results);
    expect(missing(resisted())).toEqual([]);
  });
});
