import type { RevocationModel } from '../../features/revocation.js';
import type { Token } from '../../model/model.js';
import { byClock } from '../clock.js';
import { type Check, type CheckedMethod, demand } from '../contract.js';
import type { Trial } from '../trial.js';
import { CLOCKS } from './clocks.js';
import { find, lookUp, shown } from './finding.js';
import { ACCESS_TOKEN, type Held, REFRESH_TOKEN } from './kinds.js';
import { BY_ONE_CLOCK, REVOKE_ACCESS_TOKEN } from './remedies.js';

const feature = 'token revocation';
const needs: readonly CheckedMethod[] = ['getClient', 'saveToken', 'getAccessToken', 'revokeAccessToken'];

/** What a model must do for the feature `revocation`. */
export const REVOCATION_CHECKS: readonly Check[] = [
  {
    name: 'ends an access token, and no other token',
    feature,
    needs,
    attack:
      'an access token that its owner has revoked, since somebody saw it, is let in until it expires; or whoever revokes one signs out everybody.',
    remedy: REVOKE_ACCESS_TOKEN,
    run: demandOneEnded,
  },
  {
    name: 'ends an access token again, or one that it never saved, without harm',
    feature,
    needs,
    attack:
      'a client whose answer was lost asks again, and is told that its token could not be revoked, or wakes it: it was dead, and now it is let in.',
    remedy: REVOKE_ACCESS_TOKEN,
    run: demandHarmless,
  },
  {
    name: 'ends an access token for processes whose clocks differ',
    feature,
    needs,
    attack: 'what one process has ended another one lets in until its clock has come so far.',
    remedy: BY_ONE_CLOCK,
    run: demandEndByAllClocks,
  },
];

async function demandOneEnded(trial: Trial): Promise<void> {
  const grantId = trial.newGrant();
  const shared = grantId === undefined ? {} : { grantId };
  const first = await trial.saveToken(shared);
  const others = [await trial.saveToken(shared), await trial.saveToken()];
  await revoke(trial, first.saved.accessToken);
  await demandGone(trial, first.saved.accessToken, 'that was revoked');
  for (const { saved } of others) {
    demand(await trial.isLetIn(saved.accessToken), 'another access token is not let in any more');
  }
  if (!trial.model.getRefreshToken) return;
  for (const { sent, saved } of [first, ...others]) {
    const found = await lookUp(trial, REFRESH_TOKEN, saved.refreshToken ?? sent.refreshToken!);
    demand(found && !found['revokedAt'], 'a refresh token has ended with the access token');
  }
}

async function demandHarmless(trial: Trial): Promise<void> {
  const [one, other] = [await ACCESS_TOKEN.save(trial), await ACCESS_TOKEN.save(trial)];
  const found = await find(trial, ACCESS_TOKEN, one.value);
  const unknown = { ...found, accessToken: `${one.value}-kit` };
  for (const [token, what] of [
    [found, 'for the first time'],
    [found, 'a second time'],
    [unknown, 'that was never saved'],
  ] as const) {
    await revokeFound(trial, token, what);
  }
  await demandGone(trial, one.value, 'that was revoked twice');
  demand(await trial.isLetIn(other.value), 'another access token is not let in any more');
}

async function demandEndByAllClocks(trial: Trial): Promise<void> {
  for (const [how, ahead] of CLOCKS) {
    const held = await byClock<Held>(ahead, async () => {
      const saved = await ACCESS_TOKEN.save(trial);
      await revoke(trial, saved.value);
      return saved;
    });
    await demandGone(trial, held.value, `that was revoked by a process whose clock is ${how}`);
  }
}

async function revoke(trial: Trial, accessToken: string): Promise<void> {
  await revokeFound(trial, await find(trial, ACCESS_TOKEN, accessToken), 'that is alive');
}

async function revokeFound(trial: Trial, found: object, what: string): Promise<void> {
  try {
    await (trial.model as unknown as RevocationModel).revokeAccessToken({ ...found } as Token);
  } catch (error) {
    demand(false, `\`revokeAccessToken()\` of an access token ${what} throws ${shown(error)}`);
  }
}

async function demandGone(trial: Trial, accessToken: string, what: string): Promise<void> {
  const found = await lookUp(trial, ACCESS_TOKEN, accessToken);
  demand(!found, `\`getAccessToken()\` still finds an access token ${what}: ${shown(found)}`);
}
