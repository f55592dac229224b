import { afterEach, describe, expect, it } from '@jest/globals';
import { attackLab } from 'nest-oauth2/testing';
import { startApplication, stopApplications } from '../support/servers/test-application.js';
import { FAULTS } from './faults.js';
import { productApplication } from './product-application.js';
import { PRODUCT_FAULTS } from './product-faults.js';
import { SIGN_IN, weakModule } from './weak-application.js';

const OPTIONS = { signIn: SIGN_IN, guarded: '/notes', pages: ['/settings'], callers: 4, timeLimit: 110 };

afterEach(stopApplications);

const idsOf = (results: readonly { id: string }[]) => results.map(({ id }) => id).toSorted();

describe('of all attacks, exactly those that are meant for it find', () => {
  it.each(FAULTS.map((row) => [row[0], row] as const))(
    '%s',
    async (_, [, fault, found]) => {
      const { app } = await startApplication('express', weakModule(fault), { prepare: fault.prepare });
      const report = await attackLab(app, OPTIONS);
      expect(idsOf(report.of('succeeded'))).toEqual(found.toSorted());
      expect(report.of('inconclusive')).toEqual([]);
    },
    120_000,
  );

  it.each(PRODUCT_FAULTS)(
    'in an application with accounts: %s',
    async (_, fault, found) => {
      const { module, options, prepare } = productApplication(fault);
      const { app } = await startApplication('express', module(), { prepare });
      const report = await attackLab(app, { ...options, timeLimit: 110 });
      expect(idsOf(report.of('succeeded'))).toEqual(found.toSorted());
      expect(report.of('inconclusive')).toEqual([]);
    },
    120_000,
  );
});
