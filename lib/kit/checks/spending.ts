import { randomUUID } from 'node:crypto';

import type { Trial } from '../trial.js';
import { type Check, demand, LeftOut } from '../contract.js';
import type { OAuth2Server } from '../../server/server.js';
import type { ClientFixture } from '../subject.js';
import { answerOf, find, isRefused, shown } from './finding.js';
import type { SpendableKind } from './kinds.js';
import { spendOnce } from './remedies.js';

/** What holds for everything that is spent once. */
export function spendingChecks(kind: SpendableKind): Check[] {
  const { what, one, feature, needs, spender, table, column } = kind;
  return [
    {
      name: `spends ${one} once`,
      feature,
      needs,
      attack: `whoever finds a used ${what}, in a log, a browser history or a backup, gets tokens for it again.`,
      remedy: spendOnce(table, column),
      run: (trial) => demandOnce(trial, kind),
    },
    {
      name: `has the server refuse ${one} that was used before`,
      feature,
      needs,
      attack: `a used ${what} can be replayed at the token endpoint.`,
      remedy: spendOnce(table, column),
      run: (trial) => demandUsedUp(trial, kind),
    },
    {
      name: `spends no ${what} that it never saved`,
      feature,
      needs,
      attack: `the server takes the answer of \`${spender}()\` for proof that this caller won: one that is always true lets every caller of a race win.`,
      remedy: `return whether a row changed, not true: ${spendOnce(table, column)}`,
      run: (trial) => demandNothingSpent(trial, kind),
    },
    {
      name: `lets no client use ${one} of another`,
      feature,
      needs,
      attack: `a malicious client that comes by the ${what} of another one, say by a mixed-up redirect, gets the tokens of its users.`,
      remedy: `save the client in the row of the ${what} and return that client, not the one that was looked up last.
  SQL    SELECT t.*, c.* FROM ${table} t JOIN clients c ON c.id = t.client_id WHERE t.${column} = ?`,
      run: (trial) => demandOwner(trial, kind),
    },
  ];
}

async function demandOnce(trial: Trial, kind: SpendableKind): Promise<void> {
  const { spender, one } = kind;
  const { value } = await kind.save(trial);
  const found = await find(trial, kind, value);
  const spend = () => kind.spend(trial.model, { ...found }, value);
  const first = await spend();
  demand(
    first,
    `\`${spender}()\` returns ${shown(first)} to the first caller, who spends ${one} that nobody has spent`,
  );
  const again = await answerOf(spend, `\`${spender}()\` of ${one} that is spent`);
  demand(!again, `\`${spender}()\` returns ${shown(again)} again for ${one} that is spent`);
}

async function demandUsedUp(trial: Trial, kind: SpendableKind): Promise<void> {
  await trial.clientFor(kind.grant);
  const held = await kind.save(trial);
  await kind.use(trial, held);
  demand(await isRefused(kind.use(trial, held)), `the server gives tokens twice for one ${kind.what}`);
}

async function demandNothingSpent(trial: Trial, kind: SpendableKind): Promise<void> {
  const { value } = await kind.save(trial);
  const found = await find(trial, kind, value);
  const unknown = { ...found, [kind.field]: `${randomUUID()}${randomUUID()}` };
  const answer = await answerOf(
    () => kind.spend(trial.model, unknown, unknown[kind.field] as string),
    `\`${kind.spender}()\` of ${kind.one} that was never saved`,
  );
  demand(!answer, `\`${kind.spender}()\` returns ${shown(answer)} for ${kind.one} that was never saved`);
}

async function demandOwner(trial: Trial, kind: SpendableKind): Promise<void> {
  await trial.clientFor(kind.grant);
  const held = await kind.save(trial);
  const other = await anotherClient(trial, kind.grant);
  const refused = await isRefused(kind.use(trial, held, other));
  demand(refused, `client ${shown(other.as.id)} gets tokens for the ${kind.what} of client ${shown(trial.fixture.id)}`);
  await kind.use(trial, held);
}

/** The second client of the fixtures, or a made-up twin of the first. */
async function anotherClient(trial: Trial, grant: string): Promise<{ as: ClientFixture; server: OAuth2Server }> {
  const { otherClient } = trial.subject;
  const client = await trial.client();
  if (!otherClient) {
    const id = `${client.id}-twin`;
    const model = trial.standIn({ getClient: () => ({ ...client, id }) });
    return { as: { ...trial.fixture, id }, server: trial.server(model) };
  }
  const found = await trial.model.getClient(otherClient.id, otherClient.secret ?? null);
  if (!found) throw new LeftOut('the model does not find `otherClient`');
  if (!found.grants.includes(grant)) throw new LeftOut(`\`otherClient\` does not have the grant \`${grant}\``);
  return { as: otherClient, server: trial.server() };
}
