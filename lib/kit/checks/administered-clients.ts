import { opaqueToken } from '../../tokens/opaque.js';
import { type Check, type CheckedMethod, assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { CLIENT_SECRET_CHECKS } from './client-secrets.js';
import { assertTokenRevoked, saveTokenFor } from './client-tokens.js';
import { createClient, modelOf, newClient, withClient } from './temporary-client.js';
import { CHANGE_CLIENT, REVOKE_CLIENT_GRANTS, INSERT_ONCE } from './remedies.js';

const feature = 'administered clients';
const needs: readonly CheckedMethod[] = ['getClient', 'createClient'];
/** Maximum number of concurrent changes of one client. More do not occur in administration. */
const MAX_CALLERS = 20;

/** The checks of models with clients that `OAuth2Clients` administers. */
export const ADMINISTERED_CLIENT_CHECKS: readonly Check[] = [
  ...CLIENT_SECRET_CHECKS,
  {
    name: 'creates a client for exactly one of many concurrent callers',
    feature,
    needs,
    race: true,
    attack:
      'Two administrators create a client with the same ID at the same moment. If both creations succeed, one administrator has credentials for the client of the other.',
    remedy: INSERT_ONCE,
    run: assertOneCreator,
  },
  {
    name: 'loses no change when many callers change one client concurrently',
    feature,
    needs: [...needs, 'changeClient', 'findClient'],
    race: true,
    attack:
      'One administrator withdraws a scope from a client. A concurrent change by another administrator overwrites this, and the client keeps the scope.',
    remedy: CHANGE_CLIENT,
    run: assertNoChangeLost,
  },
  {
    name: 'rejects a disabled client until it is enabled, and revokes its grants',
    feature,
    needs: [...needs, 'disableClient', 'enableClient', 'saveToken', 'getAccessToken'],
    attack:
      'An administrator disables a compromised client, but the attacker can still use the tokens that were issued to it.',
    remedy: REVOKE_CLIENT_GRANTS,
    run: assertDisabledClientRejected,
  },
  {
    name: 'removes a client and revokes its grants',
    feature,
    needs: [...needs, 'removeClient', 'findClient', 'saveToken', 'getAccessToken'],
    attack:
      'The tokens of a removed client stay valid, and a new client that is created with the same ID inherits its grants.',
    remedy: REVOKE_CLIENT_GRANTS,
    run: assertRemovedClientRejected,
  },
];

async function assertOneCreator(context: CheckContext): Promise<void> {
  const { id } = newClient();
  const secrets = Array.from({ length: Math.min(context.parallel, MAX_CALLERS) }, opaqueToken);
  const results = await Promise.all(
    secrets.map(async (secret) => createClient(context, { ...newClient(), id, secret })),
  );
  try {
    const winners = secrets.filter((_, at) => results[at]);
    assert(
      winners.length === 1,
      `\`createClient()\` returned true to ${winners.length} of ${secrets.length} concurrent callers. It must return true to exactly one.`,
    );
    for (const secret of secrets) {
      const isKnown = Boolean(await context.model.getClient(id, secret));
      assert(
        isKnown === (secret === winners[0]),
        'After concurrent calls of `createClient()`, `getClient()` accepts a secret for which it returned false, or rejects the secret for which it returned true.',
      );
    }
    assert(
      !(await createClient(context, { ...newClient(), id })),
      '`createClient()` returns true for an ID that is already taken.',
    );
  } finally {
    await modelOf(context).removeClient?.(id);
  }
}

const scopesOf = (client: object) => (client as { scopes?: readonly string[] }).scopes ?? [];

async function assertNoChangeLost(context: CheckContext): Promise<void> {
  await withClient(context, async ({ id }) => {
    const names = Array.from({ length: Math.min(context.parallel, MAX_CALLERS) }, (_, at) => `kit${at}`);
    await Promise.all(
      names.map(async (name) =>
        modelOf(context).changeClient(id, (client) => ({ scopes: [...scopesOf(client), name] }) as object),
      ),
    );
    const scopes = scopesOf((await modelOf(context).findClient(id)) || {});
    const lost = names.filter((name) => !scopes.includes(name)).length;
    assert(lost === 0, `${lost} of ${names.length} concurrent changes were lost.`);
  });
}

async function assertDisabledClientRejected(context: CheckContext): Promise<void> {
  await withClient(context, async ({ id, secret }) => {
    const token = await saveTokenFor(context, id, secret);
    assert(await modelOf(context).disableClient(id), '`disableClient()` returns false for a client that exists.');
    assert(!(await context.model.getClient(id, secret)), '`getClient()` finds a disabled client.');
    await assertTokenRevoked(context, token, 'disabled');
    assert(await modelOf(context).enableClient(id), '`enableClient()` returns false for a client that exists.');
    assert(await context.model.getClient(id, secret), '`getClient()` does not find a client that was enabled again.');
    await assertTokenRevoked(context, token, 'enabled again');
  });
}

async function assertRemovedClientRejected(context: CheckContext): Promise<void> {
  await withClient(context, async ({ id, secret }) => {
    const token = await saveTokenFor(context, id, secret);
    assert(await modelOf(context).removeClient(id), '`removeClient()` returns false for a client that exists.');
    assert(!(await context.model.getClient(id, secret)), '`getClient()` finds a removed client.');
    assert(!(await modelOf(context).findClient(id)), '`findClient()` finds a removed client.');
    await assertTokenRevoked(context, token, 'removed');
    assert(
      !(await modelOf(context).removeClient(id)),
      '`removeClient()` returns true for a client that was already removed.',
    );
  });
}
