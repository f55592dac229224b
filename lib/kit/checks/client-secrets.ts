import { type Check, type CheckedMethod, assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { inspectValue } from './model-calls.js';
import { modelOf, withClient } from './temporary-client.js';
import { HASH_SECRETS } from './remedies.js';

const feature = 'administered clients';
const needs: readonly CheckedMethod[] = ['getClient', 'createClient'];

/** What a model must do with the secrets of clients that it is given to keep. */
export const CLIENT_SECRET_CHECKS: readonly Check[] = [
  {
    name: 'knows a client by its secret, and shows that to nobody',
    feature,
    needs: [...needs, 'findClient'],
    attack: 'whoever may look at clients can pass for each of them.',
    remedy: HASH_SECRETS,
    run: assertSecretNotReturned,
  },
  {
    name: 'takes an old secret away when a rotation says so',
    feature,
    needs: [...needs, 'rotateClientSecret'],
    attack: 'a secret that somebody has got is replaced, and goes on being good.',
    remedy: HASH_SECRETS,
    run: assertOldSecretsExpire,
  },
];

async function assertSecretNotReturned(trial: CheckContext): Promise<void> {
  await withClient(trial, async ({ id, secret }) => {
    assert(
      await trial.model.getClient(id, secret),
      '`getClient()` does not find a client by the secret it was created with',
    );
    assert(!(await trial.model.getClient(id, `${secret}x`)), '`getClient()` finds a client by a wrong secret');
    const found = await modelOf(trial).findClient(id);
    assert(
      found && found.id === id,
      `\`findClient()\` returns ${inspectValue(found)} for a client that was just created`,
    );
    assert(!JSON.stringify(found).includes(secret), '`findClient()` shows the secret');
  });
}

async function assertOldSecretsExpire(trial: CheckContext): Promise<void> {
  await withClient(trial, async ({ id, secret }) => {
    const next = await modelOf(trial).rotateClientSecret(id, { overlap: 3600 });
    assert(next && (await trial.model.getClient(id, next.secret)), 'the new secret is not good');
    assert(await trial.model.getClient(id, secret), 'the old secret is not good any more, within the overlap');
    const last = await modelOf(trial).rotateClientSecret(id, { overlap: 0 });
    assert(last && (await trial.model.getClient(id, last.secret)), 'the new secret is not good');
    for (const old of [secret, next.secret]) {
      assert(!(await trial.model.getClient(id, old)), 'an old secret is good, and the rotation left no overlap');
    }
  });
}
