import type { CheckContext } from '../check-context.js';
import { type Check, assert } from '../contract.js';
import { afterTurns } from './model-calls.js';
import type { SingleUseKind } from './token-kinds.js';
import { prepareRedemption } from './redeeming.js';
import { SAVE_INTO_FAMILY } from './remedies.js';

/**
 * Returns the checks that `redeem()` creates no valid token if the token family is revoked before the call or during
 * it.
 */
export function lateRedeemingChecks(kind: SingleUseKind): Check[] {
  const { aToken } = kind;
  const feature = 'token families';
  const needs = [...kind.needs, 'getAccessToken', 'revokeGrant', 'redeem'] as const;
  const attack = `An attacker redeems ${aToken} while its token family is revoked. The new token is never revoked.`;
  const remedy = `In the transaction of \`redeem()\`: ${SAVE_INTO_FAMILY}`;
  return [
    {
      name: `saves no valid token when ${aToken} of a revoked family is redeemed`,
      feature,
      needs,
      attack,
      remedy,
      run: (context) => assertTokenUnusable(context, kind),
    },
    {
      name: `saves no valid token if the family is revoked while ${aToken} is redeemed`,
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
 * Asserts that redeeming a code or token of a revoked family results in no valid token.
 * @param turns Turns of the event loop after which the family is revoked during the redemption. If omitted, it is
 * revoked before the redemption.
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
  assert(!isAccepted, `The server accepts an access token that was issued for ${kind.aToken} of a revoked family.`);
}
