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
    name: 'revokes all tokens of a family, and no others',
    feature,
    needs,
    attack:
      'The server detects a theft and revokes the token family, but a stolen access token or refresh token of the family stays valid.',
    remedy: REVOKE_FAMILY,
    run: assertWholeFamilyRevoked,
  },
  {
    name: 'saves no valid token into a token family that is already revoked',
    feature,
    needs,
    attack:
      'While a token family is revoked, a request of the attacker is in progress. Its token is saved afterwards and is never revoked.',
    remedy: SAVE_INTO_FAMILY,
    run: assertNothingSavedIntoRevokedFamily,
  },
  {
    name: 'saves no valid token into a token family while it is revoked',
    feature,
    needs,
    race: true,
    attack:
      'An attacker refreshes tokens continuously. One request runs between the check and the write of the model, and its token survives the revocation of the family.',
    remedy: SAVE_INTO_FAMILY,
    run: assertNothingSurvivesConcurrentRevocation,
  },
  {
    name: 'saves all tokens when many callers save the first token of a grant concurrently',
    feature,
    needs,
    race: true,
    attack:
      'No attack is needed: two first requests for one grant arrive at the same moment. One of them fails, or its token is lost.',
    remedy: SAVE_GRANT_ONCE,
    run: assertConcurrentSavesSucceed,
  },
];

async function assertWholeFamilyRevoked(context: CheckContext): Promise<void> {
  const grantId = context.newGrantId()!;
  const [first, second, stranger] = [
    await context.saveToken({ grantId }),
    await context.saveToken({ grantId }),
    await context.saveToken(),
  ];
  await context.model.revokeGrant!(grantId);
  for (const { saved } of [first, second]) {
    assert(
      !(await context.acceptsAccessToken(saved.accessToken)),
      'The server still accepts an access token of the revoked family.',
    );
    assert(!(await isUsable(context, saved.refreshToken)), 'A refresh token of the revoked family is still usable.');
  }
  assert(
    await context.acceptsAccessToken(stranger.saved.accessToken),
    'Revoking one family also revoked an access token of another family.',
  );
  const { refreshToken } = stranger.saved;
  assert(
    !refreshToken || (await isUsable(context, refreshToken)),
    'Revoking one family also revoked a refresh token of another family.',
  );
}

async function assertNothingSavedIntoRevokedFamily(context: CheckContext): Promise<void> {
  const grantId = context.newGrantId()!;
  await context.saveToken({ grantId });
  await context.model.revokeGrant!(grantId);
  await assertUnusable(context, [saveQuietly(context, grantId)]);
  if (!context.model.saveAuthorizationCode) return;
  // A family can be revoked before any token exists: a code can be replayed before a token was issued for it.
  const young = context.newGrantId()!;
  await context.saveCode({ grantId: young });
  await context.model.revokeGrant!(young);
  await assertUnusable(context, [saveQuietly(context, young)]);
}

/**
 * Asserts that no token survives if its family is revoked while many tokens are saved. Each round revokes the family at
 * another moment.
 */
async function assertNothingSurvivesConcurrentRevocation(context: CheckContext): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    const grantId = context.newGrantId()!;
    await context.saveToken({ grantId });
    const saves = Array.from({ length: 20 }, (_, index) => afterTurns(index % 5, () => saveQuietly(context, grantId)));
    await afterTurns(round % 5, async () => context.model.revokeGrant!(grantId));
    await assertUnusable(context, saves);
  }
}

async function assertConcurrentSavesSucceed(context: CheckContext): Promise<void> {
  const grantId = context.newGrantId()!;
  const saves = Array.from({ length: context.parallel }, () => context.saveToken({ grantId }));
  const results = await Promise.allSettled(saves);
  const failure = results.find((result) => result.status === 'rejected');
  const saved = results.filter((result) => result.status === 'fulfilled');
  const tokens = `of ${context.parallel} tokens that were saved concurrently with a new grant`;
  assert(!failure, `${context.parallel - saved.length} ${tokens} could not be saved: ${inspectValue(failure?.reason)}`);
  const letIn = await Promise.all(saved.map(({ value }) => context.acceptsAccessToken(value.saved.accessToken)));
  const count = letIn.filter(Boolean).length;
  assert(count === context.parallel, `The server accepts ${count} ${tokens}. It must accept all of them.`);
}

/**
 * Saves a token into a family. Returns `undefined` if the model throws, since a model may reject a revoked family that
 * way.
 */
async function saveQuietly(context: CheckContext, grantId: string): Promise<Token | undefined> {
  return context.saveToken({ grantId }).then(
    ({ saved }) => saved,
    () => undefined,
  );
}

async function assertUnusable(context: CheckContext, saves: Promise<Token | undefined>[]): Promise<void> {
  for (const saved of await Promise.all(saves)) {
    if (!saved) continue;
    assert(
      !(await context.acceptsAccessToken(saved.accessToken)),
      'The server accepts an access token that was saved into a revoked family.',
    );
    assert(
      !(await isUsable(context, saved.refreshToken)),
      'A refresh token that was saved into a revoked family is usable.',
    );
  }
}

async function isUsable(context: CheckContext, refreshToken: string | undefined): Promise<boolean> {
  if (refreshToken === undefined || !context.model.getRefreshToken) return false;
  const stored = await lookUp(context, REFRESH_TOKEN, refreshToken);
  return stored !== undefined && !stored['revokedAt'];
}
