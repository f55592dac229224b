import { opaqueToken } from '../../tokens/opaque.js';
import { type Check, type CheckedMethod, demand } from '../contract.js';
import type { Trial } from '../trial.js';
import { CLIENT_SECRET_CHECKS } from './client-secrets.js';
import { demandEnded, giveToken } from './given-tokens.js';
import { create, modelOf, newClient, withClient } from './kept-client.js';
import { CHANGE_CLIENT, END_CLIENT, INSERT_ONCE } from './remedies.js';

const feature = 'administered clients';
const needs: readonly CheckedMethod[] = ['getClient', 'createClient'];
/** So many change one client at once: more is no administration. */
const MOST = 20;

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
    run: demandOneCreator,
  },
  {
    name: 'loses no change of a client, however many change it at once',
    feature,
    needs: [...needs, 'changeClient', 'findClient'],
    race: true,
    attack: 'a scope that one administrator takes away comes back with what another one changes in the same moment.',
    remedy: CHANGE_CLIENT,
    run: demandNoneLost,
  },
  {
    name: 'refuses a client that is retired, until it is restored, and ends what it was given',
    feature,
    needs: [...needs, 'retireClient', 'restoreClient', 'saveToken', 'getAccessToken'],
    attack: 'a client that was taken over is shut out, and goes on with the tokens that it has.',
    remedy: END_CLIENT,
    run: demandRetired,
  },
  {
    name: 'forgets a client that is removed, and ends what it was given',
    feature,
    needs: [...needs, 'removeClient', 'findClient', 'saveToken', 'getAccessToken'],
    attack: 'what a client was given is good for whoever comes by its name later, or goes on without it.',
    remedy: END_CLIENT,
    run: demandRemoved,
  },
];

async function demandOneCreator(trial: Trial): Promise<void> {
  const { id } = newClient();
  const secrets = Array.from({ length: Math.min(trial.parallel, MOST) }, opaqueToken);
  const answers = await Promise.all(secrets.map(async (secret) => create(trial, { ...newClient(), id, secret })));
  try {
    const winners = secrets.filter((_, at) => answers[at]);
    demand(
      winners.length === 1,
      `\`createClient()\` returned true to ${winners.length} of ${secrets.length} callers at once: exactly one may win`,
    );
    for (const secret of secrets) {
      const isKnown = Boolean(await trial.model.getClient(id, secret));
      demand(
        isKnown === (secret === winners[0]),
        'the client has the secret of somebody who was told that it is not theirs',
      );
    }
    demand(!(await create(trial, { ...newClient(), id })), '`createClient()` returns true for a client that is there');
  } finally {
    await modelOf(trial).removeClient?.(id);
  }
}

const scopesOf = (client: object) => (client as { scopes?: readonly string[] }).scopes ?? [];

async function demandNoneLost(trial: Trial): Promise<void> {
  await withClient(trial, async ({ id }) => {
    const names = Array.from({ length: Math.min(trial.parallel, MOST) }, (_, at) => `kit${at}`);
    await Promise.all(
      names.map(async (name) =>
        modelOf(trial).changeClient(id, (client) => ({ scopes: [...scopesOf(client), name] }) as object),
      ),
    );
    const found = scopesOf((await modelOf(trial).findClient(id)) || {});
    const lost = names.filter((name) => !found.includes(name)).length;
    demand(lost === 0, `of ${names.length} changes at once ${lost} were lost`);
  });
}

async function demandRetired(trial: Trial): Promise<void> {
  await withClient(trial, async ({ id, secret }) => {
    const token = await giveToken(trial, id, secret);
    demand(await modelOf(trial).retireClient(id), '`retireClient()` returns false');
    demand(!(await trial.model.getClient(id, secret)), '`getClient()` finds a client that is retired');
    await demandEnded(trial, token, 'retired');
    demand(await modelOf(trial).restoreClient(id), '`restoreClient()` returns false');
    demand(await trial.model.getClient(id, secret), '`getClient()` does not find a client that is restored');
    await demandEnded(trial, token, 'restored');
  });
}

async function demandRemoved(trial: Trial): Promise<void> {
  await withClient(trial, async ({ id, secret }) => {
    const token = await giveToken(trial, id, secret);
    demand(await modelOf(trial).removeClient(id), '`removeClient()` returns false');
    demand(!(await trial.model.getClient(id, secret)), '`getClient()` finds a client that is removed');
    demand(!(await modelOf(trial).findClient(id)), '`findClient()` finds a client that is removed');
    await demandEnded(trial, token, 'removed');
    demand(!(await modelOf(trial).removeClient(id)), '`removeClient()` returns true for a client that is gone');
  });
}
