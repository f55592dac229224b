import type { ModelMethod, Token } from '../../model/model.js';
import type { Trial } from '../trial.js';
import { type Check, demand } from '../contract.js';
import { later, lookUp, shown } from './finding.js';
import { REFRESH_TOKEN } from './kinds.js';
import { FIRST_OF_GRANT, REVOKE_FAMILY, SAVE_INTO_FAMILY } from './remedies.js';

const feature = 'token families';
const needs: readonly ModelMethod[] = ['getClient', 'saveToken', 'revokeGrant', 'getAccessToken'];

export const FAMILY_CHECKS: readonly Check[] = [
  {
    name: 'ends with a family all of its tokens, and no others',
    feature,
    needs,
    attack: 'a thief is found out, and goes on with what was stolen: the access token, or the refresh token, survives.',
    remedy: REVOKE_FAMILY,
    run: demandWhole,
  },
  {
    name: 'saves no token into a family that has ended',
    feature,
    needs,
    attack:
      'the thief whose request is on its way while the family is revoked gets a token that nothing will ever revoke.',
    remedy: SAVE_INTO_FAMILY,
    run: demandEnd,
  },
  {
    name: 'leaves no token alive that is saved while its family ends',
    feature,
    needs,
    race: true,
    attack:
      'the thief refreshes and refreshes; one of these requests falls between your look and your write, and survives the revocation.',
    remedy: SAVE_INTO_FAMILY,
    run: demandEndUnderRace,
  },
  {
    name: 'keeps all tokens that are saved at once on a new grant',
    feature,
    needs,
    race: true,
    attack:
      'nobody needs to attack: two first requests for one grant come together, and one of them fails or loses its token.',
    remedy: FIRST_OF_GRANT,
    run: demandAllOfNewGrant,
  },
];

async function demandWhole(trial: Trial): Promise<void> {
  const grantId = trial.newGrant()!;
  const [first, second, stranger] = [
    await trial.saveToken({ grantId }),
    await trial.saveToken({ grantId }),
    await trial.saveToken(),
  ];
  await trial.model.revokeGrant!(grantId);
  for (const { saved } of [first, second]) {
    demand(!(await trial.isLetIn(saved.accessToken)), 'an access token of the family is still let in');
    demand(!(await isUsable(trial, saved.refreshToken)), 'a refresh token of the family still gets tokens');
  }
  demand(await trial.isLetIn(stranger.saved.accessToken), 'an access token of another family is not let in any more');
  const { refreshToken } = stranger.saved;
  demand(!refreshToken || (await isUsable(trial, refreshToken)), 'a refresh token of another family is dead too');
}

async function demandEnd(trial: Trial): Promise<void> {
  const grantId = trial.newGrant()!;
  await trial.saveToken({ grantId });
  await trial.model.revokeGrant!(grantId);
  await demandDead(trial, [saveQuietly(trial, grantId)]);
  if (!trial.model.saveAuthorizationCode) return;
  // A replay can come before the code has become a token.
  const young = trial.newGrant()!;
  await trial.saveCode({ grantId: young });
  await trial.model.revokeGrant!(young);
  await demandDead(trial, [saveQuietly(trial, young)]);
}

/** The family ends in the middle of many saves, each time at another moment of them. */
async function demandEndUnderRace(trial: Trial): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    const grantId = trial.newGrant()!;
    await trial.saveToken({ grantId });
    const saves = Array.from({ length: 20 }, (_, index) => later(index % 5, () => saveQuietly(trial, grantId)));
    await later(round % 5, async () => trial.model.revokeGrant!(grantId));
    await demandDead(trial, saves);
  }
}

async function demandAllOfNewGrant(trial: Trial): Promise<void> {
  const grantId = trial.newGrant()!;
  const saves = Array.from({ length: trial.parallel }, () => trial.saveToken({ grantId }));
  const results = await Promise.allSettled(saves);
  const failure = results.find((result) => result.status === 'rejected');
  const kept = results.filter((result) => result.status === 'fulfilled');
  const of = `of ${trial.parallel} tokens saved at once on a new grant`;
  demand(!failure, `${trial.parallel - kept.length} ${of} were refused: ${shown(failure?.reason)}`);
  const letIn = await Promise.all(kept.map(({ value }) => trial.isLetIn(value.saved.accessToken)));
  const count = letIn.filter(Boolean).length;
  demand(count === trial.parallel, `${count} ${of} are let in: all must be`);
}

/** A model refuses by throwing, or by keeping what nobody will find. */
async function saveQuietly(trial: Trial, grantId: string): Promise<Token | undefined> {
  return trial.saveToken({ grantId }).then(
    ({ saved }) => saved,
    () => undefined,
  );
}

async function demandDead(trial: Trial, saves: Promise<Token | undefined>[]): Promise<void> {
  for (const saved of await Promise.all(saves)) {
    if (!saved) continue;
    demand(!(await trial.isLetIn(saved.accessToken)), 'an access token saved into the ended family is let in');
    demand(!(await isUsable(trial, saved.refreshToken)), 'a refresh token saved into the ended family gets tokens');
  }
}

async function isUsable(trial: Trial, refreshToken: string | undefined): Promise<boolean> {
  if (refreshToken === undefined || !trial.model.getRefreshToken) return false;
  const found = await lookUp(trial, REFRESH_TOKEN, refreshToken);
  return found !== undefined && !found['revokedAt'];
}
