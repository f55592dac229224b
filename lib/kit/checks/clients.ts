import type { CheckContext } from '../check-context.js';
import { type Check, assert, SkippedCheck } from '../contract.js';
import { UNKNOWN_VALUES, otherSpellings, wrongSecrets } from '../spellings.js';
import { isRefused, inspectValue } from './model-calls.js';
import { EXACT_COMPARISON } from './remedies.js';

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
    run: assertFindsClient,
  },
  {
    name: 'finds a client by its very id',
    feature,
    needs,
    attack: 'somebody registers a client whose id looks like another one, and its users cannot tell whom they trust.',
    remedy: EXACT_COMPARISON,
    run: assertExactId,
  },
  {
    name: 'finds no client that it does not know',
    feature,
    needs,
    attack: 'somebody makes up a client, or makes the server fail with each request.',
    remedy:
      'return null when no row was found; key objects by Map, not by {}; bind values, never put them into the text of a query.',
    run: assertUnknownClientsNotFound,
  },
  {
    name: 'refuses a client with a wrong secret',
    feature,
    needs,
    attack: 'somebody who knows no more than the id of a client, which is public, gets tokens in its name.',
    remedy: HASHED,
    run: assertWrongSecretRejected,
  },
  {
    name: 'refuses a client with the secret of another',
    feature,
    needs,
    attack: 'any registered client gets tokens in the name of every other one.',
    remedy: 'look for id and secret in one row. SQL: SELECT secret_hash FROM clients WHERE id = ?, and then compare',
    run: assertSecretOfOtherClientRejected,
  },
  {
    name: 'has the server refuse a client that owes its secret and brings none',
    feature,
    needs: ['getClient', 'saveToken'],
    attack: 'somebody who knows no more than the id of a client, which is public, gets tokens in its name.',
    remedy:
      "`getClient(id, null)` finds the client for the authorization endpoint; only a public client may say `tokenEndpointAuthMethod: 'none'`: read it from the client's row, never from the absence of a secret.",
    run: assertMissingSecretRejected,
  },
];

async function assertFindsClient(trial: CheckContext): Promise<void> {
  const client = await trial.client();
  assert(client.id !== undefined && client.id !== null, '`getClient()` returns no `id`');
  assert(
    Array.isArray(client.grants),
    `\`getClient()\` returns \`grants\` ${inspectValue(client.grants)}, which is no list`,
  );
  const uris: unknown = client.redirectUris ?? [];
  assert(Array.isArray(uris), `\`getClient()\` returns \`redirectUris\` ${inspectValue(uris)}, which is no list`);
  if (!trial.model.saveAuthorizationCode) return;
  const found = await trial.model.getClient(trial.fixture.id, null);
  assert(found, '`getClient(id, null)` finds nothing, though the authorization endpoint has no secret to offer');
}

async function assertExactId(trial: CheckContext): Promise<void> {
  const { id, secret = null } = trial.fixture;
  await trial.client();
  for (const [how, spelling] of otherSpellings(id)) {
    for (const given of new Set([secret, null])) {
      const found = await findClient(trial, spelling, given);
      assert(!found, `\`getClient()\` finds the client ${inspectValue(id)} by ${inspectValue(spelling)}, ${how}`);
    }
  }
}

async function assertUnknownClientsNotFound(trial: CheckContext): Promise<void> {
  const { secret = null } = trial.fixture;
  for (const id of UNKNOWN_VALUES) {
    const found = (await findClient(trial, id, secret)) || (await findClient(trial, id, null));
    assert(!found, `\`getClient(${inspectValue(id)}, …)\` returns ${inspectValue(found)}`);
  }
}

async function assertWrongSecretRejected(trial: CheckContext): Promise<void> {
  const { id, secret } = trial.fixture;
  if (secret === undefined) throw new SkippedCheck('`client` has no `secret`');
  await trial.client();
  for (const [how, wrong] of wrongSecrets(secret)) {
    assert(!(await findClient(trial, id, wrong)), `\`getClient()\` takes a secret that is wrong: ${how}`);
  }
}

async function assertSecretOfOtherClientRejected(trial: CheckContext): Promise<void> {
  const { fixture, subject } = trial;
  const other = subject.otherClient;
  if (fixture.secret === undefined || other?.secret === undefined)
    throw new SkippedCheck('no `otherClient` with a `secret`');
  assert(await findClient(trial, other.id, other.secret), `\`getClient()\` does not find ${inspectValue(other.id)}`);
  assert(
    !(await findClient(trial, fixture.id, other.secret)),
    `the secret of ${inspectValue(other.id)} opens ${inspectValue(fixture.id)}`,
  );
  assert(
    !(await findClient(trial, other.id, fixture.secret)),
    `the secret of ${inspectValue(fixture.id)} opens ${inspectValue(other.id)}`,
  );
}

async function assertMissingSecretRejected(trial: CheckContext): Promise<void> {
  const { id, secret } = trial.fixture;
  if (secret === undefined) throw new SkippedCheck('`client` has no `secret`');
  const { grants } = await trial.client();
  const server = trial.server(undefined, { requireClientAuthentication: {} });
  for (const [grant, parameters] of Object.entries(await trial.tokenRequests())) {
    if (!grants.includes(grant)) continue;
    const refused = await isRefused(trial.token({ grant_type: grant, ...parameters }, { server, as: { id } }));
    assert(refused, `the server gives tokens by \`${grant}\` to whoever says ${inspectValue(id)} and brings no secret`);
  }
}

/** A model may refuse a client by throwing. */
async function findClient(trial: CheckContext, id: string, secret: string | null): Promise<unknown> {
  try {
    return await trial.model.getClient(id, secret);
  } catch {
    return undefined;
  }
}
