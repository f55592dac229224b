import type { MetadataClient } from '../../clients/registration/client-from-metadata.js';
import type { Registration, RegistrationModel } from '../../features/registration/registration-model.js';
import { newClientId } from '../../clients/registration/client-id.js';
import { opaqueToken } from '../../tokens/opaque.js';
import { type Check, type CheckedMethod, assert, SkippedCheck } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { inspectValue } from './model-calls.js';
import { assertTokenRevoked, saveTokenFor } from './client-tokens.js';
import { REVOKE_CLIENT_GRANTS, HASH_SECRETS } from './remedies.js';

const feature = 'registered clients';
const needs: readonly CheckedMethod[] = [
  'getClient',
  'saveRegistration',
  'getRegistration',
  'updateRegistration',
  'revokeRegistration',
];

/** What a model must do for the feature `registration`. RFC 7591, RFC 7592 */
export const REGISTERED_CLIENT_CHECKS: readonly Check[] = [
  {
    name: 'shows a registration to whoever has its token, and to nobody else',
    feature,
    needs,
    attack:
      'whoever knows the id of a client, which is no secret, sends the codes of its users to a place of their own.',
    remedy: HASH_SECRETS,
    run: assertRegistrationProtected,
  },
  {
    name: 'puts what a client says of itself now in place of what it said',
    feature,
    needs,
    attack: 'a redirect URI that a client has given up is still answered, or a secret that it has replaced is good.',
    remedy: HASH_SECRETS,
    run: assertMetadataReplaced,
  },
  {
    name: 'forgets a client that takes its registration back, and ends what it was given',
    feature,
    needs: [...needs, 'saveToken', 'getAccessToken'],
    attack: 'a client that is no more goes on with the tokens that it has.',
    remedy: REVOKE_CLIENT_GRANTS,
    run: assertRegistrationRemoved,
  },
];

const modelOf = (trial: CheckContext) => trial.model as typeof trial.model & RegistrationModel;
const redirectUriFor = (name: string) => `https://kit.example/${name}`;

interface SavedRegistration {
  registration: Registration;
  secret: string;
  token: string;
}

async function withRegistration(trial: CheckContext, run: (kept: SavedRegistration) => Promise<void>): Promise<void> {
  const model = modelOf(trial);
  if (model.canRegister?.() === false) throw new SkippedCheck('`canRegister()` returns false');
  const [secret, token] = [opaqueToken(), opaqueToken()];
  const registration = registrationOf(newClientId(), 'first');
  await model.saveRegistration(registration, { clientSecret: secret, registrationAccessToken: token });
  try {
    await run({ registration, secret, token });
  } finally {
    await model.revokeRegistration(registration);
  }
}

function registrationOf(id: string, name: string): Registration {
  const [grants, redirectUris] = [['authorization_code'], [redirectUriFor(name)]];
  const method = 'client_secret_basic';
  const metadata = {
    grant_types: grants,
    response_types: ['code'],
    redirect_uris: redirectUris,
    token_endpoint_auth_method: method,
  };
  const client: MetadataClient = { id, grants, redirectUris, scopes: [], tokenEndpointAuthMethod: method, metadata };
  return { client, issuedAt: new Date(Math.floor(Date.now() / 1000) * 1000) };
}

async function assertRegistrationProtected(trial: CheckContext): Promise<void> {
  const model = modelOf(trial);
  await withRegistration(trial, async ({ registration: { client }, secret, token }) => {
    const found = await model.getRegistration(client.id, token);
    assert(
      found && found.client.id === client.id,
      `\`getRegistration()\` returns ${inspectValue(found)} to the client itself`,
    );
    assert(
      found.client.redirectUris.join() === redirectUriFor('first'),
      `\`getRegistration()\` returns the redirect URIs ${inspectValue(found.client.redirectUris)}`,
    );
    assert(!JSON.stringify(found).includes(secret), '`getRegistration()` shows the secret');
    for (const [wrong, which] of [
      [secret, 'its secret'],
      [`${token}x`, 'another token'],
      ['', 'nothing'],
    ] as const) {
      assert(!(await model.getRegistration(client.id, wrong)), `\`getRegistration()\` finds a client by ${which}`);
    }
    assert(
      !(await model.getRegistration(`${client.id}x`, token)),
      '`getRegistration()` finds another client by the token',
    );
    assert(await model.getClient(client.id, secret), '`getClient()` does not find a registered client by its secret');
    assert(
      !(await model.getClient(client.id, token)),
      '`getClient()` takes the token of a registration for the secret',
    );
  });
}

async function assertMetadataReplaced(trial: CheckContext): Promise<void> {
  const model = modelOf(trial);
  await withRegistration(trial, async ({ registration: { client }, secret, token }) => {
    const found = await model.getRegistration(client.id, token);
    assert(found, '`getRegistration()` finds no registration that was just saved');
    const [clientSecret, next] = [opaqueToken(), { ...found, ...registrationOf(client.id, 'second') }];
    assert(await model.updateRegistration(next, { clientSecret }), '`updateRegistration()` returns false');
    const now = await model.getClient(client.id, clientSecret);
    assert(now, 'the new secret is not good');
    assert(
      [now.redirectUris].join() === redirectUriFor('second'),
      `\`getClient()\` returns the redirect URIs ${inspectValue(now.redirectUris)}`,
    );
    assert(!(await model.getClient(client.id, secret)), 'the old secret is good still');
    assert(
      await model.getRegistration(client.id, token),
      'the token of the registration is not good any more, and no other was given',
    );
    assert(
      await model.updateRegistration(registrationOf(client.id, 'first'), {}),
      '`updateRegistration()` returns false without another secret',
    );
    assert(await model.getClient(client.id, clientSecret), 'a change without a secret has taken it away');
  });
}

async function assertRegistrationRemoved(trial: CheckContext): Promise<void> {
  const model = modelOf(trial);
  await withRegistration(trial, async ({ registration, secret, token }) => {
    const { id } = registration.client;
    const given = await saveTokenFor(trial, id, secret);
    await model.revokeRegistration(registration);
    assert(!(await model.getClient(id, secret)), '`getClient()` finds a client that is gone');
    assert(!(await model.getRegistration(id, token)), '`getRegistration()` finds a client that is gone');
    await assertTokenRevoked(trial, given, 'taken back');
    assert(
      !(await model.updateRegistration(registration, {})),
      '`updateRegistration()` returns true for a client that is gone',
    );
  });
}
