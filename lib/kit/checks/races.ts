import type { CheckContext } from '../check-context.js';
import { type Check, assert } from '../contract.js';
import { Barrier } from '../barrier.js';
import { findSaved } from './model-calls.js';
import type { SingleUseKind } from './token-kinds.js';
import { consumeOnce } from './remedies.js';

/** What holds only if spending is one atomic step. */
export function raceChecks(kind: SingleUseKind): Check[] {
  const { what, one, feature, needs, consumeMethod: spender, table, column } = kind;
  const attack = `whoever steals ${one} redeems it in the same moment as its owner: both get tokens, and nobody notices.`;
  return [
    {
      name: `lets one of many win who spend ${one} at once`,
      feature,
      needs,
      race: true,
      attack,
      remedy: consumeOnce(table, column),
      run: (trial) => assertOneWinner(trial, kind),
    },
    {
      name: `has the server give tokens once to many who bring one ${what} at once`,
      feature,
      needs,
      race: true,
      attack,
      remedy: `\`${spender}()\` decides who wins: ${consumeOnce(table, column)}`,
      run: (trial) => assertOneTokenResponse(trial, kind),
    },
  ];
}

/** Every caller has found it before the first one spends it. */
async function assertOneWinner(trial: CheckContext, kind: SingleUseKind): Promise<void> {
  const { value } = await kind.save(trial);
  const callers = Array.from({ length: trial.parallel });
  const found = await Promise.all(callers.map(() => findSaved(trial, kind, value)));
  const answers = await Promise.allSettled(found.map(async (mine) => kind.consume(trial.model, { ...mine }, value)));
  const winners = answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length;
  const of = `\`${kind.consumeMethod}()\` returned true to ${winners} of ${trial.parallel} callers at once`;
  assert(winners === 1, `${of}: exactly one may win`);
}

async function assertOneTokenResponse(trial: CheckContext, kind: SingleUseKind): Promise<void> {
  const client = await trial.clientFor(kind.grant);
  const held = await kind.save(trial);
  const gate = new Barrier(trial.parallel);
  const finder = trial.model[kind.findMethod]!.bind(trial.model) as (value: string) => unknown;
  const server = trial.server(
    trial.modelWith({
      // Who the client is was settled before the race; a slow hash would only spread its start.
      getClient: () => client,
      // Nobody spends it before all have found it.
      [kind.findMethod]: (value: string) => heldBack(gate, async () => finder(value)),
    }),
  );
  const attempts = Array.from({ length: trial.parallel }, () => kind.use(trial, held, { server }));
  const answers = await Promise.allSettled(attempts);
  const winners = answers.filter(({ status }) => status === 'fulfilled').length;
  const of = `the server gave tokens to ${winners} of ${trial.parallel} callers at once`;
  // Where replays are noticed, the losers may have ended the family before the winner got its tokens.
  assert(winners === 1 || (winners === 0 && trial.model.revokeGrant), `${of}: exactly one may win`);
}

async function heldBack<T>(gate: Barrier, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } finally {
    await gate.arrive();
  }
}
