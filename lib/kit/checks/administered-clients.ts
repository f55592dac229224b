import { opaqueToken } from '../../tokens/opaque.js';
import { type Check, type CheckedMethod, assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { CLIENT_SECRET_CHECKS } from './client-secrets.js';
import { assertTokenRevoked, saveTokenFor } from './client-tokens.js';
import { createClient, modelOf, newClient, withClient } from './temporary-client.js';
import { CHANGE_CLIENT, REVOKE_CLIENT_GRANTS, INSERT_ONCE } from './remedies.js';

const feature = 'administered clients';
const needs: readonly CheckedMethod[] = ['getClient', 'createClient'];
/** So many change one client at once: more is no administration. */
const MAX_CALLERS = 20;

/** What a model must do whose clients are administered by `OAuth2Clients`. */
export const ADMINISTERED_CLIENT_CHECKS: readonly Check[] = [
  ...CLIENT_SECRET_CHECKS,
  {
    name: 'keeps a new client for one of many who create it at once',
    feature,
    needs,
    race: true,
    attack:
      'two who create a client of one id are both told that it is theirs, and one has the secret of the other one’s client.',
    remedy: INSERT_ONCE,
    run: assertOneCreator,
  },
  {
    name: 'loses no change of a client, however many change it at once',
    feature,
    needs: [...needs, 'changeClient', 'findClient'],
    race: true,
    attack: 'a scope that one administrator takes away comes back with what another one changes in the same moment.',
    remedy: CHANGE_CLIENT,
    run: assertNoChangeLost,
  },
  {
    name: 'refuses a client that is retired, until it is restored, and ends what it was given',
    feature,
    needs: [...needs, 'disableClient', 'enableClient', 'saveToken', 'getAccessToken'],
    attack: 'a client that was taken over is shut out, and goes on with the tokens that it has.',
    remedy: REVOKE_CLIENT_GRANTS,
    run: assertDisabledClientRejected,
  },
  {
    name: 'forgets a client that is removed, and ends what it was given',
    feature,
    needs: [...needs, 'removeClient', 'findClient', 'saveToken', 'getAccessToken'],
    attack: 'what a client was given is good for whoever comes by its name later, or goes on without it.',
    remedy: REVOKE_CLIENT_GRANTS,
    run: assertRemovedClientRejected,
  },
];

async function assertOneCreator(trial: CheckContext): Promise<void> {
  const { id } = newClient();
  const secrets = Array.from({ length: Math.min(trial.parallel, MAX_CALLERS) }, opaqueToken);
  const answers = await Promise.all(secrets.map(async (secret) => createClient(trial, { ...newClient(), id, secret })));
  try {
    const winners = secrets.filter((_, at) => answers[at]);
    assert(
      winners.length === 1,
      `\`createClient()\` returned true to ${winners.length} of ${secrets.length} callers at once: exactly one may win`,
    );
    for (const secret of secrets) {
      const isKnown = Boolean(await trial.model.getClient(id, secret));
      assert(
        isKnown === (secret === winners[0]),
        'the client has the secret of somebody who was told that it is not theirs',
      );
    }
    assert(
      !(await createClient(trial, { ...newClient(), id })),
      '`createClient()` returns true for a client that is there',
    );
  } finally {
    await modelOf(trial).removeClient?.(id);
  }
}

const scopesOf = (client: object) => (client as { scopes?: readonly string[] }).scopes ?? [];

async function assertNoChangeLost(trial: CheckContext): Promise<void> {
  await withClient(trial, async ({ id }) => {
    const names = Array.from({ length: Math.min(trial.parallel, MAX_CALLERS) }, (_, at) => `kit${at}`);
    await Promise.all(
      names.map(async (name) =>
        modelOf(trial).changeClient(id, (client) => ({ scopes: [...scopesOf(client), name] }) as object),
      ),
    );
    const found = scopesOf((await modelOf(trial).findClient(id)) || {});
    const lost = names.filter((name) => !found.includes(name)).length;
    assert(lost === 0, `of ${names.length} changes at once ${lost} were lost`);
  });
}

async function assertDisabledClientRejected(trial: CheckContext): Promise<void> {
  await withClient(trial, async ({ id, secret }) => {
    const token = await saveTokenFor(trial, id, secret);
    assert(await modelOf(trial).disableClient(id), '`disableClient()` returns false');
    assert(!(await trial.model.getClient(id, secret)), '`getClient()` finds a client that is retired');
    await assertTokenRevoked(trial, token, 'retired');
    assert(await modelOf(trial).enableClient(id), '`enableClient()` returns false');
    assert(await trial.model.getClient(id, secret), '`getClient()` does not find a client that is restored');
    await assertTokenRevoked(trial, token, 'restored');
  });
}

async function assertRemovedClientRejected(trial: CheckContext): Promise<void> {
  await withClient(trial, async ({ id, secret }) => {
    const token = await saveTokenFor(trial, id, secret);
    assert(await modelOf(trial).removeClient(id), '`removeClient()` returns false');
    assert(!(await trial.model.getClient(id, secret)), '`getClient()` finds a client that is removed');
    assert(!(await modelOf(trial).findClient(id)), '`findClient()` finds a client that is removed');
    await assertTokenRevoked(trial, token, 'removed');
    assert(!(await modelOf(trial).removeClient(id)), '`removeClient()` returns true for a client that is gone');
  });
}
