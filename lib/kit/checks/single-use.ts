import { randomUUID } from 'node:crypto';

import type { CheckContext } from '../check-context.js';
import { type Check, assert, SkippedCheck } from '../contract.js';
import type { OAuth2Server } from '../../server/server.js';
import type { ClientFixture } from '../test-subject.js';
import { callModel, findSaved, isRefused, inspectValue } from './model-calls.js';
import type { SingleUseKind } from './token-kinds.js';
import { consumeOnce } from './remedies.js';

/** Returns the checks that a kind of code or token is single-use. */
export function singleUseChecks(kind: SingleUseKind): Check[] {
  const { token, aToken, feature, needs, consumeMethod, table, column } = kind;
  return [
    {
      name: `marks ${aToken} as used only once`,
      feature,
      needs,
      attack: `An attacker who finds a used ${token} in a log, a browser history or a backup redeems it again.`,
      remedy: consumeOnce(table, column),
      run: (context) => assertSingleUse(context, kind),
    },
    {
      name: `makes the server reject ${aToken} that was used before`,
      feature,
      needs,
      attack: `An attacker sends a used ${token} to the token endpoint and gets tokens.`,
      remedy: consumeOnce(table, column),
      run: (context) => assertServerRejectsReuse(context, kind),
    },
    {
      name: `returns false when ${aToken} that was never saved is to be marked as used`,
      feature,
      needs,
      attack: `\`${consumeMethod}()\` always returns true. The server relies on its result to find the one caller that succeeds, so all concurrent callers get tokens.`,
      remedy: `Return true only if a row was changed. ${consumeOnce(table, column)}`,
      run: (context) => assertUnknownNotConsumed(context, kind),
    },
    {
      name: `makes the server reject ${aToken} that was issued to another client`,
      feature,
      needs,
      attack: `A malicious client obtains the ${token} of another client, for example by a mixed-up redirect, and gets tokens for the users of that client.`,
      remedy: `Store the client in the row of the ${token}. Return this client, not the one that was looked up last.
  SQL    SELECT t.*, c.* FROM ${table} t JOIN clients c ON c.id = t.client_id WHERE t.${column} = ?`,
      run: (context) => assertBoundToClient(context, kind),
    },
  ];
}

async function assertSingleUse(context: CheckContext, kind: SingleUseKind): Promise<void> {
  const { consumeMethod, aToken } = kind;
  const { value } = await kind.save(context);
  const stored = await findSaved(context, kind, value);
  const consume = () => kind.consume(context.model, { ...stored }, value);
  const first = await consume();
  assert(
    first,
    `\`${consumeMethod}()\` returns ${inspectValue(first)} to the first caller, although the ${kind.token} is not yet used. It must return true.`,
  );
  const again = await callModel(consume, `\`${consumeMethod}()\` for ${aToken} that is already used`);
  assert(!again, `\`${consumeMethod}()\` returns ${inspectValue(again)} again for ${aToken} that is already used.`);
}

async function assertServerRejectsReuse(context: CheckContext, kind: SingleUseKind): Promise<void> {
  await context.clientFor(kind.grant);
  const held = await kind.save(context);
  await kind.use(context, held);
  assert(await isRefused(kind.use(context, held)), `The server issues tokens twice for one ${kind.token}.`);
}

async function assertUnknownNotConsumed(context: CheckContext, kind: SingleUseKind): Promise<void> {
  const { value } = await kind.save(context);
  const stored = await findSaved(context, kind, value);
  const unknown = { ...stored, [kind.field]: `${randomUUID()}${randomUUID()}` };
  const result = await callModel(
    () => kind.consume(context.model, unknown, unknown[kind.field] as string),
    `\`${kind.consumeMethod}()\` for ${kind.aToken} that was never saved`,
  );
  assert(
    !result,
    `\`${kind.consumeMethod}()\` returns ${inspectValue(result)} for ${kind.aToken} that was never saved.`,
  );
}

async function assertBoundToClient(context: CheckContext, kind: SingleUseKind): Promise<void> {
  await context.clientFor(kind.grant);
  const held = await kind.save(context);
  const other = await anotherClient(context, kind.grant);
  const refused = await isRefused(kind.use(context, held, other));
  assert(
    refused,
    `The client ${inspectValue(other.as.id)} gets tokens for the ${kind.token} of the client ${inspectValue(context.fixture.id)}.`,
  );
  await kind.use(context, held);
}

/**
 * Returns the second client of the fixtures. If the fixtures have none, returns a copy of the first client with another
 * ID.
 */
async function anotherClient(
  context: CheckContext,
  grant: string,
): Promise<{ as: ClientFixture; server: OAuth2Server }> {
  const { otherClient } = context.subject;
  const client = await context.client();
  if (!otherClient) {
    const id = `${client.id}-twin`;
    const model = context.modelWith({ getClient: () => ({ ...client, id }) });
    return { as: { ...context.fixture, id }, server: context.server(model) };
  }
  const stored = await context.model.getClient(otherClient.id, otherClient.secret ?? null);
  if (!stored) throw new SkippedCheck('the model does not find `otherClient` of the fixtures');
  if (!stored.grants.includes(grant))
    throw new SkippedCheck(`\`otherClient\` in the fixtures does not have the grant \`${grant}\``);
  return { as: otherClient, server: context.server() };
}
