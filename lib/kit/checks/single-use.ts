import { randomUUID } from 'node:crypto';

import type { CheckContext } from '../check-context.js';
import { type Check, assert, SkippedCheck } from '../contract.js';
import type { OAuth2Server } from '../../server/server.js';
import type { ClientFixture } from '../test-subject.js';
import { callModel, findSaved, isRefused, inspectValue } from './model-calls.js';
import type { SingleUseKind } from './token-kinds.js';
import { consumeOnce } from './remedies.js';

/** What holds for everything that is spent once. */
export function singleUseChecks(kind: SingleUseKind): Check[] {
  const { what, one, feature, needs, consumeMethod: spender, table, column } = kind;
  return [
    {
      name: `spends ${one} once`,
      feature,
      needs,
      attack: `whoever finds a used ${what}, in a log, a browser history or a backup, gets tokens for it again.`,
      remedy: consumeOnce(table, column),
      run: (trial) => assertSingleUse(trial, kind),
    },
    {
      name: `has the server refuse ${one} that was used before`,
      feature,
      needs,
      attack: `a used ${what} can be replayed at the token endpoint.`,
      remedy: consumeOnce(table, column),
      run: (trial) => assertServerRejectsReuse(trial, kind),
    },
    {
      name: `spends no ${what} that it never saved`,
      feature,
      needs,
      attack: `the server takes the answer of \`${spender}()\` for proof that this caller won: one that is always true lets every caller of a race win.`,
      remedy: `return whether a row changed, not true: ${consumeOnce(table, column)}`,
      run: (trial) => assertUnknownNotConsumed(trial, kind),
    },
    {
      name: `lets no client use ${one} of another`,
      feature,
      needs,
      attack: `a malicious client that comes by the ${what} of another one, say by a mixed-up redirect, gets the tokens of its users.`,
      remedy: `save the client in the row of the ${what} and return that client, not the one that was looked up last.
  SQL    SELECT t.*, c.* FROM ${table} t JOIN clients c ON c.id = t.client_id WHERE t.${column} = ?`,
      run: (trial) => assertBoundToClient(trial, kind),
    },
  ];
}

async function assertSingleUse(trial: CheckContext, kind: SingleUseKind): Promise<void> {
  const { consumeMethod: spender, one } = kind;
  const { value } = await kind.save(trial);
  const found = await findSaved(trial, kind, value);
  const spend = () => kind.consume(trial.model, { ...found }, value);
  const first = await spend();
  assert(
    first,
    `\`${spender}()\` returns ${inspectValue(first)} to the first caller, who spends ${one} that nobody has spent`,
  );
  const again = await callModel(spend, `\`${spender}()\` of ${one} that is spent`);
  assert(!again, `\`${spender}()\` returns ${inspectValue(again)} again for ${one} that is spent`);
}

async function assertServerRejectsReuse(trial: CheckContext, kind: SingleUseKind): Promise<void> {
  await trial.clientFor(kind.grant);
  const held = await kind.save(trial);
  await kind.use(trial, held);
  assert(await isRefused(kind.use(trial, held)), `the server gives tokens twice for one ${kind.what}`);
}

async function assertUnknownNotConsumed(trial: CheckContext, kind: SingleUseKind): Promise<void> {
  const { value } = await kind.save(trial);
  const found = await findSaved(trial, kind, value);
  const unknown = { ...found, [kind.field]: `${randomUUID()}${randomUUID()}` };
  const answer = await callModel(
    () => kind.consume(trial.model, unknown, unknown[kind.field] as string),
    `\`${kind.consumeMethod}()\` of ${kind.one} that was never saved`,
  );
  assert(!answer, `\`${kind.consumeMethod}()\` returns ${inspectValue(answer)} for ${kind.one} that was never saved`);
}

async function assertBoundToClient(trial: CheckContext, kind: SingleUseKind): Promise<void> {
  await trial.clientFor(kind.grant);
  const held = await kind.save(trial);
  const other = await anotherClient(trial, kind.grant);
  const refused = await isRefused(kind.use(trial, held, other));
  assert(
    refused,
    `client ${inspectValue(other.as.id)} gets tokens for the ${kind.what} of client ${inspectValue(trial.fixture.id)}`,
  );
  await kind.use(trial, held);
}

/** The second client of the fixtures, or a made-up twin of the first. */
async function anotherClient(trial: CheckContext, grant: string): Promise<{ as: ClientFixture; server: OAuth2Server }> {
  const { otherClient } = trial.subject;
  const client = await trial.client();
  if (!otherClient) {
    const id = `${client.id}-twin`;
    const model = trial.modelWith({ getClient: () => ({ ...client, id }) });
    return { as: { ...trial.fixture, id }, server: trial.server(model) };
  }
  const found = await trial.model.getClient(otherClient.id, otherClient.secret ?? null);
  if (!found) throw new SkippedCheck('the model does not find `otherClient`');
  if (!found.grants.includes(grant)) throw new SkippedCheck(`\`otherClient\` does not have the grant \`${grant}\``);
  return { as: otherClient, server: trial.server() };
}
