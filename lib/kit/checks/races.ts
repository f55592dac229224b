import type { Bench } from '../bench.js';
import { type Check, demand } from '../contract.js';
import { Gate } from '../gate.js';
import { find } from './finding.js';
import type { SpendableKind } from './kinds.js';
import { spendOnce } from './remedies.js';

/** What holds only if spending is one atomic step. */
export function raceChecks(kind: SpendableKind): Check[] {
  const { what, one, feature, needs, spender, table, column } = kind;
  const attack = `whoever steals ${one} redeems it in the same moment as its owner: both get tokens, and nobody notices.`;
  return [
    {
      name: `lets one of many win who spend ${one} at once`,
      feature,
      needs,
      race: true,
      attack,
      remedy: spendOnce(table, column),
      run: (bench) => demandOneWinner(bench, kind),
    },
    {
      name: `has the server give tokens once to many who bring one ${what} at once`,
      feature,
      needs,
      race: true,
      attack,
      remedy: `\`${spender}()\` decides who wins: ${spendOnce(table, column)}`,
      run: (bench) => demandOneAnswer(bench, kind),
    },
  ];
}

/** Every caller has found it before the first one spends it. */
async function demandOneWinner(bench: Bench, kind: SpendableKind): Promise<void> {
  const { value } = await kind.save(bench);
  const callers = Array.from({ length: bench.parallel });
  const found = await Promise.all(callers.map(() => find(bench, kind, value)));
  const answers = await Promise.allSettled(found.map(async (mine) => kind.spend(bench.model, { ...mine }, value)));
  const winners = answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length;
  const of = `\`${kind.spender}()\` returned true to ${winners} of ${bench.parallel} callers at once`;
  demand(winners === 1, `${of}: exactly one may win`);
}

async function demandOneAnswer(bench: Bench, kind: SpendableKind): Promise<void> {
  const client = await bench.clientFor(kind.grant);
  const held = await kind.save(bench);
  const gate = new Gate(bench.parallel);
  const finder = bench.model[kind.finder]!.bind(bench.model) as (value: string) => unknown;
  const server = bench.server(
    bench.standIn({
      // Who the client is was settled before the race; a slow hash would only spread its start.
      getClient: () => client,
      // Nobody spends it before all have found it.
      [kind.finder]: (value: string) => heldBack(gate, async () => finder(value)),
    }),
  );
  const attempts = Array.from({ length: bench.parallel }, () => kind.use(bench, held, { server }));
  const answers = await Promise.allSettled(attempts);
  const winners = answers.filter(({ status }) => status === 'fulfilled').length;
  const of = `the server gave tokens to ${winners} of ${bench.parallel} callers at once`;
  // Where replays are noticed, the losers may have ended the family before the winner got its tokens.
  demand(winners === 1 || (winners === 0 && bench.model.revokeGrant), `${of}: exactly one may win`);
}

async function heldBack<T>(gate: Gate, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } finally {
    await gate.pass();
  }
}
