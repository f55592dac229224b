import { describe, expect, it } from '@jest/globals';
import { checkModel, type MakeModel, type Report } from 'nest-oauth2/testing';

import { runCheck } from '../../lib/kit/check-model.js';
import { CHECKS } from '../../lib/kit/checks/index.js';
import { makeReport, type Outcome } from '../../lib/kit/report.js';
import { BROKEN_CLIENTS } from './broken-clients.js';
import { BROKEN_CLOCKS } from './broken-clocks.js';
import { BROKEN_DEVICES } from './broken-devices.js';
import { BROKEN_FAMILIES } from './broken-families.js';
import { BROKEN_TEMPORARY_CLIENTS } from './broken-temporary-clients.js';
import { BROKEN_KEYS } from './broken-keys.js';
import { BROKEN_LOOKUPS } from './broken-lookups.js';
import { BROKEN_ONCE } from './broken-once.js';
import { BROKEN_PUSHED_REQUESTS } from './broken-pushed-requests.js';
import { BROKEN_REDEEMING } from './broken-redeeming.js';
import { BROKEN_REPLAYS } from './broken-replays.js';
import { BROKEN_REVOKING } from './broken-revoking.js';
import { BROKEN_SESSIONS } from './broken-sessions.js';
import { BROKEN_SINGLE_USE } from './broken-single-use.js';
import type { BrokenModel } from './broken-model.js';
import { CorrectModel, subject } from './correct-model.js';
import { RedeemingModel } from './redeeming-model.js';

const BROKEN = [BROKEN_SINGLE_USE, BROKEN_FAMILIES, BROKEN_LOOKUPS, BROKEN_CLIENTS].concat([
  BROKEN_CLOCKS,
  BROKEN_REPLAYS,
  BROKEN_REDEEMING,
  BROKEN_REVOKING,
  BROKEN_PUSHED_REQUESTS,
  BROKEN_DEVICES,
  BROKEN_TEMPORARY_CLIENTS,
  BROKEN_KEYS,
  BROKEN_ONCE,
  BROKEN_SESSIONS,
]);

/** Enough to detect each mistake here, where a step takes one tick. Correct models are tested with the default. */
const RACERS = { parallel: 40 };

/**
 * Runs the checks of the features that a broken model is expected to fail or to keep. The other features are not
 * affected.
 */
async function checkAffectedFeatures(makeModel: MakeModel, { fails, leaves }: BrokenModel): Promise<Report> {
  const outcomes: Outcome[] = [];
  for (const check of CHECKS) {
    if (check.name !== fails && !Object.hasOwn(leaves, check.feature)) continue;
    outcomes.push(await runCheck(check, makeModel, RACERS));
  }
  return makeReport('the model', outcomes);
}

describe('the model contract', () => {
  it.each([
    ['', CorrectModel],
    [' with redeem()', RedeemingModel],
  ])('holds for a correct model%s', async (_, Honest) => {
    const report = await checkModel(() => subject(new Honest()));
    expect(report.failures).toEqual([]);
    expect(report.ok).toBe(true);
    expect(report.guarantees).toEqual({
      'client authentication': 'kept',
      'access tokens': 'kept',
      'authorization codes': 'atomic',
      'refresh tokens': 'atomic',
      'token families': 'atomic',
      'token revocation': 'kept',
      'pushed requests': 'atomic',
      'device codes': 'atomic',
      'exchanged tokens': 'kept',
      'administered clients': 'atomic',
      'registered clients': 'kept',
      'signing keys': 'atomic',
      'single-use values': 'atomic',
      sessions: 'kept',
      passwords: 'kept',
      'client credentials': 'kept',
    });
  });

  it.each(BROKEN.flat())('catches a model that $mistake', async (broken) => {
    const { methods, fails, finding, remedy, leaves } = broken;
    const report = await checkAffectedFeatures(() => {
      const honest = new CorrectModel();
      return subject(Object.assign(honest, methods(Object.assign(new CorrectModel(), honest))));
    }, broken);
    const message =
      report.failures.find(({ name }) => name === fails)?.message ?? JSON.stringify(report.failures, null, 1);
    const [found = '', reported = ''] = message.split('Remedy: ');
    expect(found).toMatch(finding);
    expect(found).toMatch(/^Requirement: the model .+\.\nObserved: .+\nAttack: .+\n$/s);
    expect(reported).toMatch(remedy);
    expect(report.guarantees).toMatchObject(leaves);
    expect(report.ok).toBe(false);
  });
});
