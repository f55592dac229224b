import { afterEach, describe, expect, it } from '@jest/globals';
import { attackLab } from 'nest-oauth2/testing';
import { ANY_PLATFORM, startApplication, stopApplications } from '../support/servers/test-application.js';
import { VARIANTS } from './variants.js';

const [platform] = ANY_PLATFORM;

afterEach(stopApplications);

describe('attackLab() raises no false alarm at', () => {
  it.each(Object.entries(VARIANTS))(
    '%s',
    async (_name, { module, options, prefix }) => {
      const prepare = (app: { setGlobalPrefix(path: string): unknown }) => prefix && app.setGlobalPrefix(prefix);
      const { app } = await startApplication(platform!, module(), { prepare });
      const report = await attackLab(app, { ...options, callers: 4, timeLimit: 290 });
      expect([...report.of('succeeded'), ...report.of('inconclusive')]).toEqual([]);
      expect(report.of('resisted').length).toBeGreaterThan(10);
    },
    300_000,
  );
});
