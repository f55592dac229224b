import { type Check, type CheckedMethod, assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { inspectValue } from './model-calls.js';
import { modelOf, withClient } from './temporary-client.js';
import { HASH_SECRETS } from './remedies.js';

const feature = 'administered clients';
const needs: readonly CheckedMethod[] = ['getClient', 'createClient'];

/** The checks of models that store client secrets. */
export const CLIENT_SECRET_CHECKS: readonly Check[] = [
  {
    name: 'authenticates a client by its secret, and returns the secret from no method',
    feature,
    needs: [...needs, 'findClient'],
    attack: 'Anyone who may list clients reads their secrets and can impersonate the clients.',
    remedy: HASH_SECRETS,
    run: assertSecretNotReturned,
  },
  {
    name: 'accepts the old secret of a client during the overlap of a rotation, and rejects it without an overlap',
    feature,
    needs: [...needs, 'rotateClientSecret'],
    attack: 'A leaked secret is replaced by a new one, but an attacker can still use the leaked secret.',
    remedy: HASH_SECRETS,
    run: assertOldSecretsExpire,
  },
];

async function assertSecretNotReturned(context: CheckContext): Promise<void> {
  await withClient(context, async ({ id, secret }) => {
    assert(
      await context.model.getClient(id, secret),
      '`getClient()` does not accept the secret that the client was created with.',
    );
    assert(!(await context.model.getClient(id, `${secret}x`)), '`getClient()` accepts a wrong secret.');
    const client = await modelOf(context).findClient(id);
    assert(
      client && client.id === id,
      `\`findClient()\` returns ${inspectValue(client)} for a client that was just created. Expected: the client.`,
    );
    assert(!JSON.stringify(client).includes(secret), '`findClient()` returns the secret in plain text.');
  });
}

async function assertOldSecretsExpire(context: CheckContext): Promise<void> {
  await withClient(context, async ({ id, secret }) => {
    const next = await modelOf(context).rotateClientSecret(id, { overlap: 3600 });
    assert(
      next && (await context.model.getClient(id, next.secret)),
      '`getClient()` does not accept the secret that `rotateClientSecret()` returned.',
    );
    assert(
      await context.model.getClient(id, secret),
      '`getClient()` rejects the old secret within the overlap of a rotation.',
    );
    const last = await modelOf(context).rotateClientSecret(id, { overlap: 0 });
    assert(
      last && (await context.model.getClient(id, last.secret)),
      '`getClient()` does not accept the secret that `rotateClientSecret()` returned.',
    );
    for (const old of [secret, next.secret]) {
      assert(
        !(await context.model.getClient(id, old)),
        '`getClient()` accepts an old secret after a rotation with `overlap: 0`.',
      );
    }
  });
}
