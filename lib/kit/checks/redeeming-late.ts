import type { CheckContext } from '../check-context.js';
import { type Check, assert } from '../contract.js';
import { afterTurns } from './model-calls.js';
import type { SingleUseKind } from './token-kinds.js';
import { prepareRedemption } from './redeeming.js';
import { SAVE_INTO_FAMILY } from './remedies.js';

/** What holds for models that spend and save in one step, where the family ends before that or meanwhile. */
export function lateRedeemingChecks(kind: SingleUseKind): Check[] {
  const { one } = kind;
  const feature = 'token families';
  const needs = [...kind.needs, 'getAccessToken', 'revokeGrant', 'redeem'] as const;
  const attack = `the thief who redeems ${one} while the family is revoked gets a token that nothing will ever revoke.`;
  const remedy = `in the very transaction of \`redeem()\`: ${SAVE_INTO_FAMILY}`;
  return [
    {
      name: `redeems ${one} for no token that is alive once its family has ended`,
      feature,
      needs,
      attack,
      remedy,
      run: (trial) => assertTokenUnusable(trial, kind),
    },
    {
      name: `leaves no token alive for which ${one} is redeemed while its family ends`,
      feature,
      needs,
      race: true,
      attack,
      remedy,
      run: async (trial) => {
        for (let round = 0; round < 20; round += 1) await assertTokenUnusable(trial, kind, round % 5);
      },
    },
  ];
}

/** @param turns of the event loop, after which the family ends; left out: it has ended before */
async function assertTokenUnusable(trial: CheckContext, kind: SingleUseKind, turns?: number): Promise<void> {
  const held = await kind.save(trial);
  const attempt = await prepareRedemption(trial, kind, held);
  const revoke = async () => trial.model.revokeGrant!(held.sent['grantId'] as string);
  if (turns === undefined) await revoke();
  // A model refuses by throwing, by returning nothing, or by keeping what nobody will find.
  const redeemed = attempt.redeem().catch(() => undefined);
  await Promise.all([redeemed, turns !== undefined && afterTurns(turns, revoke)]);
  const isAlive = await trial.acceptsAccessToken(attempt.token.accessToken);
  assert(!isAlive, `an access token for which ${kind.one} of the ended family was redeemed is let in`);
}
