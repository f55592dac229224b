import type { CheckContext } from '../check-context.js';
import { type Check, assert } from '../contract.js';
import { afterTurns } from './model-calls.js';
import type { SingleUseKind } from './token-kinds.js';
import { prepareRedemption } from './redeeming.js';
import { SAVE_INTO_FAMILY } from './remedies.js';

/** Returns the checks of `redeem()` for a token family that is revoked before the call or during it. */
export function lateRedeemingChecks(kind: SingleUseKind): Check[] {
  const { aToken } = kind;
  const feature = 'token families';
  const needs = [...kind.needs, 'getAccessToken', 'revokeGrant', 'redeem'] as const;
  const attack = `An attacker who redeems ${aToken} while the family is revoked gets a token that is never revoked.`;
  const remedy = `In the transaction of \`redeem()\`: ${SAVE_INTO_FAMILY}`;
  return [
    {
      name: `redeems ${aToken} of a revoked family for no usable token`,
      feature,
      needs,
      attack,
      remedy,
      run: (context) => assertTokenUnusable(context, kind),
    },
    {
      name: `leaves no usable token if the family is revoked while ${aToken} is redeemed`,
      feature,
      needs,
      race: true,
      attack,
      remedy,
      run: async (context) => {
        for (let round = 0; round < 20; round += 1) await assertTokenUnusable(context, kind, round % 5);
      },
    },
  ];
}

/**
 * Asserts that no usable token results from redeeming a code or token of a revoked family.
 * @param turns Turns of the event loop after which the family is revoked. If omitted, it is revoked before.
 */
async function assertTokenUnusable(context: CheckContext, kind: SingleUseKind, turns?: number): Promise<void> {
  const held = await kind.save(context);
  const attempt = await prepareRedemption(context, kind, held);
  const revoke = async () => context.model.revokeGrant!(held.sent['grantId'] as string);
  if (turns === undefined) await revoke();
  // The model may refuse by throwing, by returning nothing, or by saving a token that is never found.
  const redeemed = attempt.redeem().catch(() => undefined);
  await Promise.all([redeemed, turns !== undefined && afterTurns(turns, revoke)]);
  const isAccepted = await context.acceptsAccessToken(attempt.token.accessToken);
  assert(!isAccepted, `The server accepts an access token for which ${kind.aToken} of a revoked family was redeemed.`);
}
