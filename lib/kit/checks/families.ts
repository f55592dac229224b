import type { ModelMethod, Token } from '../../model/model.js';
import type { CheckContext } from '../check-context.js';
import { type Check, assert } from '../contract.js';
import { afterTurns, lookUp, inspectValue } from './model-calls.js';
import { REFRESH_TOKEN } from './token-kinds.js';
import { SAVE_GRANT_ONCE, REVOKE_FAMILY, SAVE_INTO_FAMILY } from './remedies.js';

const feature = 'token families';
const needs: readonly ModelMethod[] = ['getClient', 'saveToken', 'revokeGrant', 'getAccessToken'];

export const FAMILY_CHECKS: readonly Check[] = [
  {
    name: 'ends with a family all of its tokens, and no others',
    feature,
    needs,
    attack: 'a thief is found out, and goes on with what was stolen: the access token, or the refresh token, survives.',
    remedy: REVOKE_FAMILY,
    run: assertWholeFamilyRevoked,
  },
  {
    name: 'saves no token into a family that has ended',
    feature,
    needs,
    attack:
      'the thief whose request is on its way while the family is revoked gets a token that nothing will ever revoke.',
    remedy: SAVE_INTO_FAMILY,
    run: assertNothingSavedIntoRevokedFamily,
  },
  {
    name: 'leaves no token alive that is saved while its family ends',
    feature,
    needs,
    race: true,
    attack:
      'the thief refreshes and refreshes; one of these requests falls between your look and your write, and survives the revocation.',
    remedy: SAVE_INTO_FAMILY,
    run: assertNothingSurvivesConcurrentRevocation,
  },
  {
    name: 'keeps all tokens that are saved at once on a new grant',
    feature,
    needs,
    race: true,
    attack:
      'nobody needs to attack: two first requests for one grant come together, and one of them fails or loses its token.',
    remedy: SAVE_GRANT_ONCE,
    run: assertConcurrentSavesSucceed,
  },
];

async function assertWholeFamilyRevoked(trial: CheckContext): Promise<void> {
  const grantId = trial.newGrantId()!;
  const [first, second, stranger] = [
    await trial.saveToken({ grantId }),
    await trial.saveToken({ grantId }),
    await trial.saveToken(),
  ];
  await trial.model.revokeGrant!(grantId);
  for (const { saved } of [first, second]) {
    assert(!(await trial.acceptsAccessToken(saved.accessToken)), 'an access token of the family is still let in');
    assert(!(await isUsable(trial, saved.refreshToken)), 'a refresh token of the family still gets tokens');
  }
  assert(
    await trial.acceptsAccessToken(stranger.saved.accessToken),
    'an access token of another family is not let in any more',
  );
  const { refreshToken } = stranger.saved;
  assert(!refreshToken || (await isUsable(trial, refreshToken)), 'a refresh token of another family is dead too');
}

async function assertNothingSavedIntoRevokedFamily(trial: CheckContext): Promise<void> {
  const grantId = trial.newGrantId()!;
  await trial.saveToken({ grantId });
  await trial.model.revokeGrant!(grantId);
  await assertUnusable(trial, [saveQuietly(trial, grantId)]);
  if (!trial.model.saveAuthorizationCode) return;
  // A replay can come before the code has become a token.
  const young = trial.newGrantId()!;
  await trial.saveCode({ grantId: young });
  await trial.model.revokeGrant!(young);
  await assertUnusable(trial, [saveQuietly(trial, young)]);
}

/** The family ends in the middle of many saves, each time at another moment of them. */
async function assertNothingSurvivesConcurrentRevocation(trial: CheckContext): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    const grantId = trial.newGrantId()!;
    await trial.saveToken({ grantId });
    const saves = Array.from({ length: 20 }, (_, index) => afterTurns(index % 5, () => saveQuietly(trial, grantId)));
    await afterTurns(round % 5, async () => trial.model.revokeGrant!(grantId));
    await assertUnusable(trial, saves);
  }
}

async function assertConcurrentSavesSucceed(trial: CheckContext): Promise<void> {
  const grantId = trial.newGrantId()!;
  const saves = Array.from({ length: trial.parallel }, () => trial.saveToken({ grantId }));
  const results = await Promise.allSettled(saves);
  const failure = results.find((result) => result.status === 'rejected');
  const kept = results.filter((result) => result.status === 'fulfilled');
  const of = `of ${trial.parallel} tokens saved at once on a new grant`;
  assert(!failure, `${trial.parallel - kept.length} ${of} were refused: ${inspectValue(failure?.reason)}`);
  const letIn = await Promise.all(kept.map(({ value }) => trial.acceptsAccessToken(value.saved.accessToken)));
  const count = letIn.filter(Boolean).length;
  assert(count === trial.parallel, `${count} ${of} are let in: all must be`);
}

/** A model refuses by throwing, or by keeping what nobody will find. */
async function saveQuietly(trial: CheckContext, grantId: string): Promise<Token | undefined> {
  return trial.saveToken({ grantId }).then(
    ({ saved }) => saved,
    () => undefined,
  );
}

async function assertUnusable(trial: CheckContext, saves: Promise<Token | undefined>[]): Promise<void> {
  for (const saved of await Promise.all(saves)) {
    if (!saved) continue;
    assert(
      !(await trial.acceptsAccessToken(saved.accessToken)),
      'an access token saved into the ended family is let in',
    );
    assert(!(await isUsable(trial, saved.refreshToken)), 'a refresh token saved into the ended family gets tokens');
  }
}

async function isUsable(trial: CheckContext, refreshToken: string | undefined): Promise<boolean> {
  if (refreshToken === undefined || !trial.model.getRefreshToken) return false;
  const found = await lookUp(trial, REFRESH_TOKEN, refreshToken);
  return found !== undefined && !found['revokedAt'];
}
