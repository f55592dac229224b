import { afterEach, describe, expect, it } from '@jest/globals';
import { attackLab } from 'nest-oauth2/testing';
import { startApplication, stopApplications } from '../support/servers/test-application.js';
import { FAULTS } from './faults.js';
import { SIGN_IN, weakModule } from './weak-application.js';

const OPTIONS = { signIn: SIGN_IN, guarded: '/notes', pages: ['/settings'], callers: 4, timeLimit: 110 };

afterEach(stopApplications);

describe('of all attacks, exactly those that are meant for it find', () => {
  it.each(FAULTS.map((row) => [row[0], row] as const))(
    '%s',
    async (_, [, fault, found]) => {
      const { app } = await startApplication('express', weakModule(fault), { prepare: fault.prepare });
      const report = await attackLab(app, OPTIONS);
      expect(
        report
          .of('succeeded')
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(found.toSorted());
      expect(report.of('inconclusive')).toEqual([]);
    },
    120_000,
  );
});
