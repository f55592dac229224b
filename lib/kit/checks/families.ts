import type { ModelMethod, Token } from '../../model/model.js';
import type { Bench } from '../bench.js';
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

async function demandWhole(bench: Bench): Promise<void> {
  const grantId = bench.newGrant()!;
  const [first, second, stranger] = [
    await bench.saveToken({ grantId }),
    await bench.saveToken({ grantId }),
    await bench.saveToken(),
  ];
  await bench.model.revokeGrant!(grantId);
  for (const { saved } of [first, second]) {
    demand(!(await bench.isLetIn(saved.accessToken)), 'an access token of the family is still let in');
    demand(!(await isUsable(bench, saved.refreshToken)), 'a refresh token of the family still gets tokens');
  }
  demand(await bench.isLetIn(stranger.saved.accessToken), 'an access token of another family is not let in any more');
  const { refreshToken } = stranger.saved;
  demand(!refreshToken || (await isUsable(bench, refreshToken)), 'a refresh token of another family is dead too');
}

async function demandEnd(bench: Bench): Promise<void> {
  const grantId = bench.newGrant()!;
  await bench.saveToken({ grantId });
  await bench.model.revokeGrant!(grantId);
  await demandDead(bench, [saveQuietly(bench, grantId)]);
  if (!bench.model.saveAuthorizationCode) return;
  // A replay can come before the code has become a token.
  const young = bench.newGrant()!;
  await bench.saveCode({ grantId: young });
  await bench.model.revokeGrant!(young);
  await demandDead(bench, [saveQuietly(bench, young)]);
}

/** The family ends in the middle of many saves, each time at another moment of them. */
async function demandEndUnderRace(bench: Bench): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    const grantId = bench.newGrant()!;
    await bench.saveToken({ grantId });
    const saves = Array.from({ length: 20 }, (_, index) => later(index % 5, () => saveQuietly(bench, grantId)));
    await later(round % 5, async () => bench.model.revokeGrant!(grantId));
    await demandDead(bench, saves);
  }
}

async function demandAllOfNewGrant(bench: Bench): Promise<void> {
  const grantId = bench.newGrant()!;
  const saves = Array.from({ length: bench.parallel }, () => bench.saveToken({ grantId }));
  const results = await Promise.allSettled(saves);
  const failure = results.find((result) => result.status === 'rejected');
  const kept = results.filter((result) => result.status === 'fulfilled');
  const of = `of ${bench.parallel} tokens saved at once on a new grant`;
  demand(!failure, `${bench.parallel - kept.length} ${of} were refused: ${shown(failure?.reason)}`);
  const letIn = await Promise.all(kept.map(({ value }) => bench.isLetIn(value.saved.accessToken)));
  const count = letIn.filter(Boolean).length;
  demand(count === bench.parallel, `${count} ${of} are let in: all must be`);
}

/** A model refuses by throwing, or by keeping what nobody will find. */
async function saveQuietly(bench: Bench, grantId: string): Promise<Token | undefined> {
  return bench.saveToken({ grantId }).then(
    ({ saved }) => saved,
    () => undefined,
  );
}

async function demandDead(bench: Bench, saves: Promise<Token | undefined>[]): Promise<void> {
  for (const saved of await Promise.all(saves)) {
    if (!saved) continue;
    demand(!(await bench.isLetIn(saved.accessToken)), 'an access token saved into the ended family is let in');
    demand(!(await isUsable(bench, saved.refreshToken)), 'a refresh token saved into the ended family gets tokens');
  }
}

async function isUsable(bench: Bench, refreshToken: string | undefined): Promise<boolean> {
  if (refreshToken === undefined || !bench.model.getRefreshToken) return false;
  const found = await lookUp(bench, REFRESH_TOKEN, refreshToken);
  return found !== undefined && !found['revokedAt'];
}
