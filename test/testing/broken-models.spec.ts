import { describe, expect, it } from '@jest/globals';
import { checkModel } from 'nest-oauth2/testing';

import { BROKEN_CLIENTS } from './broken-clients.js';
import { BROKEN_FAMILIES } from './broken-families.js';
import { BROKEN_LOOKUPS } from './broken-lookups.js';
import { BROKEN_SPENDING } from './broken-spending.js';
import { HonestModel, subject } from './honest-model.js';

const BROKEN = [...BROKEN_SPENDING, ...BROKEN_FAMILIES, ...BROKEN_LOOKUPS, ...BROKEN_CLIENTS];

describe('the contract', () => {
  it('holds for an honest model', async () => {
    const report = await checkModel(() => subject(new HonestModel()));
    expect(report.failures).toEqual([]);
    expect(report.ok).toBe(true);
    expect(report.guarantees).toEqual({
      'client authentication': 'kept',
      'access tokens': 'kept',
      'authorization codes': 'atomic',
      'refresh tokens': 'atomic',
      'token families': 'atomic',
      passwords: 'kept',
      'client credentials': 'kept',
    });
  });

  it.each(BROKEN)('catches a model that $mistake', async ({ methods, fails, finding, remedy, leaves }) => {
    const report = await checkModel(() => {
      const honest = new HonestModel();
      return subject(Object.assign(honest, methods(Object.assign(new HonestModel(), honest))));
    });
    const message =
      report.failures.find(({ name }) => name === fails)?.message ?? JSON.stringify(report.failures, null, 1);
    const [found = '', told = ''] = message.split('Remedy: ');
    expect(found).toMatch(finding);
    expect(found).toMatch(/^A model .+\.\nThis one does not: .+\nAttack: .+\n$/s);
    expect(told).toMatch(remedy);
    expect(report.guarantees).toMatchObject(leaves);
    expect(report.ok).toBe(false);
  });
});
