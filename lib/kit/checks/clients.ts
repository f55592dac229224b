import type { Trial } from '../trial.js';
import { type Check, demand, LeftOut } from '../contract.js';
import { FOREIGN, otherSpellings, wrongSecrets } from '../spellings.js';
import { isRefused, shown } from './finding.js';
import { EXACT } from './remedies.js';

const feature = 'client authentication';
const needs = ['getClient'] as const;
const HASHED = `find the client by its id, then compare: a secret in constant time, with the whole of what is kept.
  crypto.timingSafeEqual(sha256(given), sha256(kept)), or scrypt, argon2, bcrypt over the whole secret`;

export const CLIENT_CHECKS: readonly Check[] = [
  {
    name: 'finds its client, with the list of its grants and redirect URIs',
    feature,
    needs,
    attack: 'nobody needs to attack: no client gets anywhere. A text instead of a list matches any part of itself.',
    remedy:
      "return `{ id, grants: ['authorization_code', …], redirectUris: ['https://…'] }`; a column of text must be parsed.",
    run: demandClient,
  },
  {
    name: 'finds a client by its very id',
    feature,
    needs,
    attack: 'somebody registers a client whose id looks like another one, and its users cannot tell whom they trust.',
    remedy: EXACT,
    run: demandExactId,
  },
  {
    name: 'finds no client that it does not know',
    feature,
    needs,
    attack: 'somebody makes up a client, or makes the server fail with each request.',
    remedy:
      'return null when no row was found; key objects by Map, not by {}; bind values, never put them into the text of a query.',
    run: demandNoStranger,
  },
  {
    name: 'refuses a client with a wrong secret',
    feature,
    needs,
    attack: 'somebody who knows no more than the id of a client, which is public, gets tokens in its name.',
    remedy: HASHED,
    run: demandRightSecret,
  },
  {
    name: 'refuses a client with the secret of another',
    feature,
    needs,
    attack: 'any registered client gets tokens in the name of every other one.',
    remedy: 'look for id and secret in one row. SQL: SELECT secret_hash FROM clients WHERE id = ?, and then compare',
    run: demandOwnSecret,
  },
  {
    name: 'has the server refuse a client that owes its secret and brings none',
    feature,
    needs: ['getClient', 'saveToken'],
    attack: 'somebody who knows no more than the id of a client, which is public, gets tokens in its name.',
    remedy:
      "`getClient(id, null)` finds the client for the authorization endpoint; only a public client may say `tokenEndpointAuthMethod: 'none'`: read it from the client's row, never from the absence of a secret.",
    run: demandSomeSecret,
  },
];

async function demandClient(trial: Trial): Promise<void> {
  const client = await trial.client();
  demand(client.id !== undefined && client.id !== null, '`getClient()` returns no `id`');
  demand(Array.isArray(client.grants), `\`getClient()\` returns \`grants\` ${shown(client.grants)}, which is no list`);
  const uris: unknown = client.redirectUris ?? [];
  demand(Array.isArray(uris), `\`getClient()\` returns \`redirectUris\` ${shown(uris)}, which is no list`);
  if (!trial.model.saveAuthorizationCode) return;
  const found = await trial.model.getClient(trial.fixture.id, null);
  demand(found, '`getClient(id, null)` finds nothing, though the authorization endpoint has no secret to offer');
}

async function demandExactId(trial: Trial): Promise<void> {
  const { id, secret = null } = trial.fixture;
  await trial.client();
  for (const [how, spelling] of otherSpellings(id)) {
    for (const given of new Set([secret, null])) {
      const found = await findClient(trial, spelling, given);
      demand(!found, `\`getClient()\` finds the client ${shown(id)} by ${shown(spelling)}, ${how}`);
    }
  }
}

async function demandNoStranger(trial: Trial): Promise<void> {
  const { secret = null } = trial.fixture;
  for (const id of FOREIGN) {
    const found = (await findClient(trial, id, secret)) || (await findClient(trial, id, null));
    demand(!found, `\`getClient(${shown(id)}, …)\` returns ${shown(found)}`);
  }
}

async function demandRightSecret(trial: Trial): Promise<void> {
  const { id, secret } = trial.fixture;
  if (secret === undefined) throw new LeftOut('`client` has no `secret`');
  await trial.client();
  for (const [how, wrong] of wrongSecrets(secret)) {
    demand(!(await findClient(trial, id, wrong)), `\`getClient()\` takes a secret that is wrong: ${how}`);
  }
}

async function demandOwnSecret(trial: Trial): Promise<void> {
  const { fixture, subject } = trial;
  const other = subject.otherClient;
  if (fixture.secret === undefined || other?.secret === undefined)
    throw new LeftOut('no `otherClient` with a `secret`');
  demand(await findClient(trial, other.id, other.secret), `\`getClient()\` does not find ${shown(other.id)}`);
  demand(
    !(await findClient(trial, fixture.id, other.secret)),
    `the secret of ${shown(other.id)} opens ${shown(fixture.id)}`,
  );
  demand(
    !(await findClient(trial, other.id, fixture.secret)),
    `the secret of ${shown(fixture.id)} opens ${shown(other.id)}`,
  );
}

async function demandSomeSecret(trial: Trial): Promise<void> {
  const { id, secret } = trial.fixture;
  if (secret === undefined) throw new LeftOut('`client` has no `secret`');
  const { grants } = await trial.client();
  const server = trial.server(undefined, { requireClientAuthentication: {} });
  for (const [grant, parameters] of Object.entries(await trial.requests())) {
    if (!grants.includes(grant)) continue;
    const refused = await isRefused(trial.token({ grant_type: grant, ...parameters }, { server, as: { id } }));
    demand(refused, `the server gives tokens by \`${grant}\` to whoever says ${shown(id)} and brings no secret`);
  }
}

/** A model may refuse a client by throwing. */
async function findClient(trial: Trial, id: string, secret: string | null): Promise<unknown> {
  try {
    return await trial.model.getClient(id, secret);
  } catch {
    return undefined;
  }
}
