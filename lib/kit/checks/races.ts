import type { CheckContext } from '../check-context.js';
import { type Check, assert } from '../contract.js';
import { Barrier } from '../barrier.js';
import { findSaved } from './model-calls.js';
import type { SingleUseKind } from './token-kinds.js';
import { consumeOnce } from './remedies.js';

/**
 * Returns the checks of concurrent calls: they pass only if the model marks a code or token as used in one atomic step.
 */
export function raceChecks(kind: SingleUseKind): Check[] {
  const { token, aToken, feature, needs, consumeMethod, table, column } = kind;
  const attack = `An attacker who steals ${aToken} redeems it at the same moment as its owner. Both get tokens, and no replay is detected.`;
  return [
    {
      name: `marks ${aToken} as used for only one of many concurrent callers`,
      feature,
      needs,
      race: true,
      attack,
      remedy: consumeOnce(table, column),
      run: (context) => assertOneWinner(context, kind),
    },
    {
      name: `makes the server issue tokens for only one of many concurrent requests with the same ${token}`,
      feature,
      needs,
      race: true,
      attack,
      remedy: `\`${consumeMethod}()\` decides which caller succeeds. ${consumeOnce(table, column)}`,
      run: (context) => assertOneTokenResponse(context, kind),
    },
  ];
}

/**
 * Asserts that exactly one caller can mark a code or token as used. All callers find it before any of them marks it.
 */
async function assertOneWinner(context: CheckContext, kind: SingleUseKind): Promise<void> {
  const { value } = await kind.save(context);
  const callers = Array.from({ length: context.parallel });
  const stored = await Promise.all(callers.map(() => findSaved(context, kind, value)));
  const results = await Promise.allSettled(stored.map(async (each) => kind.consume(context.model, { ...each }, value)));
  const winners = results.filter((result) => result.status === 'fulfilled' && result.value).length;
  const observation = `\`${kind.consumeMethod}()\` returned true to ${winners} of ${context.parallel} concurrent callers`;
  assert(winners === 1, `${observation}. Exactly one must succeed.`);
}

async function assertOneTokenResponse(context: CheckContext, kind: SingleUseKind): Promise<void> {
  const client = await context.clientFor(kind.grant);
  const held = await kind.save(context);
  const barrier = new Barrier(context.parallel);
  const finder = context.model[kind.findMethod]!.bind(context.model) as (value: string) => unknown;
  const server = context.server(
    context.modelWith({
      // The client is looked up in advance: a slow secret hash would make the requests start at different moments.
      getClient: () => client,
      // No request marks the code or token as used before all requests have found it.
      [kind.findMethod]: (value: string) => heldBack(barrier, async () => finder(value)),
    }),
  );
  const attempts = Array.from({ length: context.parallel }, () => kind.use(context, held, { server }));
  const results = await Promise.allSettled(attempts);
  const winners = results.filter(({ status }) => status === 'fulfilled').length;
  const observation = `The server issued tokens to ${winners} of ${context.parallel} concurrent requests`;
  // With replay detection, the losing requests may revoke the family before the winning request gets its tokens.
  assert(winners === 1 || (winners === 0 && context.model.revokeGrant), `${observation}. Exactly one must succeed.`);
}

async function heldBack<T>(barrier: Barrier, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } finally {
    await barrier.arrive();
  }
}
