import type { Trial } from '../trial.js';
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
      run: (trial) => demandOneWinner(trial, kind),
    },
    {
      name: `has the server give tokens once to many who bring one ${what} at once`,
      feature,
      needs,
      race: true,
      attack,
      remedy: `\`${spender}()\` decides who wins: ${spendOnce(table, column)}`,
      run: (trial) => demandOneAnswer(trial, kind),
    },
  ];
}

/** Every caller has found it before the first one spends it. */
async function demandOneWinner(trial: Trial, kind: SpendableKind): Promise<void> {
  const { value } = await kind.save(trial);
  const callers = Array.from({ length: trial.parallel });
  const found = await Promise.all(callers.map(() => find(trial, kind, value)));
  const answers = await Promise.allSettled(found.map(async (mine) => kind.spend(trial.model, { ...mine }, value)));
  const winners = answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length;
  const of = `\`${kind.spender}()\` returned true to ${winners} of ${trial.parallel} callers at once`;
  demand(winners === 1, `${of}: exactly one may win`);
}

async function demandOneAnswer(trial: Trial, kind: SpendableKind): Promise<void> {
  const client = await trial.clientFor(kind.grant);
  const held = await kind.save(trial);
  const gate = new Gate(trial.parallel);
  const finder = trial.model[kind.finder]!.bind(trial.model) as (value: string) => unknown;
  const server = trial.server(
    trial.standIn({
      // Who the client is was settled before the race; a slow hash would only spread its start.
      getClient: () => client,
      // Nobody spends it before all have found it.
      [kind.finder]: (value: string) => heldBack(gate, async () => finder(value)),
    }),
  );
  const attempts = Array.from({ length: trial.parallel }, () => kind.use(trial, held, { server }));
  const answers = await Promise.allSettled(attempts);
  const winners = answers.filter(({ status }) => status === 'fulfilled').length;
  const of = `the server gave tokens to ${winners} of ${trial.parallel} callers at once`;
  // Where replays are noticed, the losers may have ended the family before the winner got its tokens.
  demand(winners === 1 || (winners === 0 && trial.model.revokeGrant), `${of}: exactly one may win`);
}

async function heldBack<T>(gate: Gate, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } finally {
    await gate.pass();
  }
}
