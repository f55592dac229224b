import type { CheckContext } from '../check-context.js';
import { type Check, assert, SkippedCheck } from '../contract.js';
import { UNKNOWN_VALUES, otherSpellings, wrongSecrets } from '../spellings.js';
import { isRefused, inspectValue } from './model-calls.js';
import { EXACT_COMPARISON } from './remedies.js';

const feature = 'client authentication';
const needs = ['getClient'] as const;
const HASHED = `Look the client up by its ID alone. Then compare the whole secret in constant time.
  crypto.timingSafeEqual(sha256(given), sha256(stored)), or scrypt, argon2 or bcrypt over the whole secret`;

export const CLIENT_CHECKS: readonly Check[] = [
  {
    name: 'returns its client with `grants` and `redirectUris` as arrays',
    feature,
    needs,
    attack:
      'No attack is needed: without lists, no client can get a token. If a list is a string, any substring of it passes as a member of the list.',
    remedy:
      "Return `{ id, grants: ['authorization_code', …], redirectUris: ['https://…'] }`. If the database stores a list as text, parse it.",
    run: assertFindsClient,
  },
  {
    name: 'finds a client only by its exact ID',
    feature,
    needs,
    attack:
      'An attacker registers a client whose ID looks like that of another client, and its users cannot tell which client they trust.',
    remedy: EXACT_COMPARISON,
    run: assertExactId,
  },
  {
    name: 'returns nothing for unknown client IDs',
    feature,
    needs,
    attack:
      'An attacker sends the ID of a client that does not exist, and is accepted as a client or makes the request fail with a server error.',
    remedy:
      'Return null if no row was found. Use a Map, not an object, as an in-memory index. Bind values as query parameters, never concatenate them into the query.',
    run: assertUnknownClientsNotFound,
  },
  {
    name: 'rejects a client with a wrong secret',
    feature,
    needs,
    attack: 'An attacker who knows the ID of a client, which is public, gets tokens in the name of that client.',
    remedy: HASHED,
    run: assertWrongSecretRejected,
  },
  {
    name: 'rejects a client with the secret of another client',
    feature,
    needs,
    attack: 'Any registered client gets tokens in the name of every other client.',
    remedy: 'Compare the secret with the hash in the row of this client: SELECT secret_hash FROM clients WHERE id = ?',
    run: assertSecretOfOtherClientRejected,
  },
  {
    name: 'makes the server reject a token request of a confidential client without its secret',
    feature,
    needs: ['getClient', 'saveToken'],
    attack: 'An attacker who knows the ID of a client, which is public, gets tokens in the name of that client.',
    remedy:
      "The authorization endpoint calls `getClient(id, null)`, since clients send no secret there. Return `tokenEndpointAuthMethod: 'none'` only for public clients. Read it from the row of the client, never from the absence of a secret in the request.",
    run: assertMissingSecretRejected,
  },
];

async function assertFindsClient(context: CheckContext): Promise<void> {
  const client = await context.client();
  assert(client.id !== undefined && client.id !== null, '`getClient()` returns a client without `id`.');
  assert(
    Array.isArray(client.grants),
    `\`getClient()\` returns ${inspectValue(client.grants)} as \`grants\`. It must be an array.`,
  );
  const uris: unknown = client.redirectUris ?? [];
  assert(
    Array.isArray(uris),
    `\`getClient()\` returns ${inspectValue(uris)} as \`redirectUris\`. It must be an array.`,
  );
  if (!context.model.saveAuthorizationCode) return;
  const clientWithoutSecret = await context.model.getClient(context.fixture.id, null);
  assert(
    clientWithoutSecret,
    '`getClient(id, null)` finds no client. The authorization endpoint calls it like this, since clients send no secret there.',
  );
}

async function assertExactId(context: CheckContext): Promise<void> {
  const { id, secret = null } = context.fixture;
  await context.client();
  for (const [how, spelling] of otherSpellings(id)) {
    for (const secretToTry of new Set([secret, null])) {
      const client = await findClient(context, spelling, secretToTry);
      assert(
        !client,
        `\`getClient()\` finds the client ${inspectValue(id)} by ${inspectValue(spelling)}, which is the ID ${how}.`,
      );
    }
  }
}

async function assertUnknownClientsNotFound(context: CheckContext): Promise<void> {
  const { secret = null } = context.fixture;
  for (const id of UNKNOWN_VALUES) {
    const client = (await findClient(context, id, secret)) || (await findClient(context, id, null));
    assert(!client, `\`getClient(${inspectValue(id)}, …)\` returns ${inspectValue(client)}`);
  }
}

async function assertWrongSecretRejected(context: CheckContext): Promise<void> {
  const { id, secret } = context.fixture;
  if (secret === undefined) throw new SkippedCheck('`client` in the fixtures has no `secret`');
  await context.client();
  for (const [how, wrong] of wrongSecrets(secret)) {
    assert(!(await findClient(context, id, wrong)), `\`getClient()\` accepts a wrong secret: ${how}.`);
  }
}

async function assertSecretOfOtherClientRejected(context: CheckContext): Promise<void> {
  const { fixture, subject } = context;
  const other = subject.otherClient;
  if (fixture.secret === undefined || other?.secret === undefined)
    throw new SkippedCheck('`client` and `otherClient` in the fixtures must both have a `secret`');
  assert(
    await findClient(context, other.id, other.secret),
    `\`getClient()\` does not find the client ${inspectValue(other.id)} with its own secret.`,
  );
  assert(
    !(await findClient(context, fixture.id, other.secret)),
    `\`getClient()\` accepts the secret of ${inspectValue(other.id)} for the client ${inspectValue(fixture.id)}.`,
  );
  assert(
    !(await findClient(context, other.id, fixture.secret)),
    `\`getClient()\` accepts the secret of ${inspectValue(fixture.id)} for the client ${inspectValue(other.id)}.`,
  );
}

async function assertMissingSecretRejected(context: CheckContext): Promise<void> {
  const { id, secret } = context.fixture;
  if (secret === undefined) throw new SkippedCheck('`client` in the fixtures has no `secret`');
  const { grants } = await context.client();
  const server = context.server(undefined, { requireClientAuthentication: {} });
  for (const [grant, parameters] of Object.entries(await context.tokenRequests())) {
    if (!grants.includes(grant)) continue;
    const refused = await isRefused(context.token({ grant_type: grant, ...parameters }, { server, as: { id } }));
    assert(
      refused,
      `The server issues tokens for grant_type=${grant} to a request with the ID of the confidential client ${inspectValue(id)} and no secret.`,
    );
  }
}

/**
 * Returns the client that the model finds. Returns `undefined` if the model throws, since a model may refuse a client
 * by throwing.
 */
async function findClient(context: CheckContext, id: string, secret: string | null): Promise<unknown> {
  try {
    return await context.model.getClient(id, secret);
  } catch {
    return undefined;
  }
}
