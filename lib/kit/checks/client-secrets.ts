import { type Check, type CheckedMethod, demand } from '../contract.js';
import type { Trial } from '../trial.js';
import { shown } from './finding.js';
import { modelOf, withClient } from './kept-client.js';
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
    run: demandHidden,
  },
  {
    name: 'takes an old secret away when a rotation says so',
    feature,
    needs: [...needs, 'rotateClientSecret'],
    attack: 'a secret that somebody has got is replaced, and goes on being good.',
    remedy: HASH_SECRETS,
    run: demandRotated,
  },
];

async function demandHidden(trial: Trial): Promise<void> {
  await withClient(trial, async ({ id, secret }) => {
    demand(
      await trial.model.getClient(id, secret),
      '`getClient()` does not find a client by the secret it was created with',
    );
    demand(!(await trial.model.getClient(id, `${secret}x`)), '`getClient()` finds a client by a wrong secret');
    const found = await modelOf(trial).findClient(id);
    demand(found && found.id === id, `\`findClient()\` returns ${shown(found)} for a client that was just created`);
    demand(!JSON.stringify(found).includes(secret), '`findClient()` shows the secret');
  });
}

async function demandRotated(trial: Trial): Promise<void> {
  await withClient(trial, async ({ id, secret }) => {
    const next = await modelOf(trial).rotateClientSecret(id, { overlap: 3600 });
    demand(next && (await trial.model.getClient(id, next.secret)), 'the new secret is not good');
    demand(await trial.model.getClient(id, secret), 'the old secret is not good any more, within the overlap');
    const last = await modelOf(trial).rotateClientSecret(id, { overlap: 0 });
    demand(last && (await trial.model.getClient(id, last.secret)), 'the new secret is not good');
    for (const old of [secret, next.secret]) {
      demand(!(await trial.model.getClient(id, old)), 'an old secret is good, and the rotation left no overlap');
    }
  });
}
