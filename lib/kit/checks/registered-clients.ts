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

/** The checks of models for the feature `registration()`. RFC 7591, RFC 7592 */
export const REGISTERED_CLIENT_CHECKS: readonly Check[] = [
  {
    name: 'returns a registered client only for its own registration access token',
    feature,
    needs,
    attack:
      'An attacker who knows the ID of a client, which is public, replaces its redirect URIs and receives the codes of its users.',
    remedy: HASH_SECRETS,
    run: assertRegistrationProtected,
  },
  {
    name: 'replaces the metadata of a registered client',
    feature,
    needs,
    attack: 'The client has removed a redirect URI or replaced its secret, but the old one is still accepted.',
    remedy: HASH_SECRETS,
    run: assertMetadataReplaced,
  },
  {
    name: 'removes a client that deletes its registration, and revokes its grants',
    feature,
    needs: [...needs, 'saveToken', 'getAccessToken'],
    attack: 'The tokens of a client that has deleted its registration are still accepted.',
    remedy: REVOKE_CLIENT_GRANTS,
    run: assertRegistrationRemoved,
  },
];

const modelOf = (context: CheckContext) => context.model as typeof context.model & RegistrationModel;
const redirectUriFor = (name: string) => `https://kit.example/${name}`;

interface SavedRegistration {
  registration: Registration;
  secret: string;
  token: string;
}

async function withRegistration(
  context: CheckContext,
  run: (saved: SavedRegistration) => Promise<void>,
): Promise<void> {
  const model = modelOf(context);
  if (model.canRegister?.() === false) throw new SkippedCheck('`canRegister()` of the model returns false');
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

async function assertRegistrationProtected(context: CheckContext): Promise<void> {
  const model = modelOf(context);
  await withRegistration(context, async ({ registration: { client }, secret, token }) => {
    const stored = await model.getRegistration(client.id, token);
    assert(
      stored && stored.client.id === client.id,
      `\`getRegistration()\` returns ${inspectValue(stored)} for the correct registration access token.`,
    );
    assert(
      stored.client.redirectUris.join() === redirectUriFor('first'),
      `\`getRegistration()\` returns the redirect URIs ${inspectValue(stored.client.redirectUris)} instead of the saved ones.`,
    );
    assert(!JSON.stringify(stored).includes(secret), '`getRegistration()` returns the secret in plain text.');
    for (const [wrong, which] of [
      [secret, 'the client secret'],
      [`${token}x`, 'a wrong token'],
      ['', 'an empty string'],
    ] as const) {
      assert(
        !(await model.getRegistration(client.id, wrong)),
        `\`getRegistration()\` accepts ${which} as the registration access token.`,
      );
    }
    assert(
      !(await model.getRegistration(`${client.id}x`, token)),
      '`getRegistration()` accepts the registration access token of another client.',
    );
    assert(
      await model.getClient(client.id, secret),
      '`getClient()` does not find a registered client with its secret.',
    );
    assert(
      !(await model.getClient(client.id, token)),
      '`getClient()` accepts the registration access token in place of the client secret.',
    );
  });
}

async function assertMetadataReplaced(context: CheckContext): Promise<void> {
  const model = modelOf(context);
  await withRegistration(context, async ({ registration: { client }, secret, token }) => {
    const stored = await model.getRegistration(client.id, token);
    assert(stored, '`getRegistration()` does not find a registration that was just saved.');
    const [clientSecret, next] = [opaqueToken(), { ...stored, ...registrationOf(client.id, 'second') }];
    assert(
      await model.updateRegistration(next, { clientSecret }),
      '`updateRegistration()` returns false for a client that exists.',
    );
    const now = await model.getClient(client.id, clientSecret);
    assert(now, '`getClient()` does not accept the new secret that was passed to `updateRegistration()`.');
    assert(
      [now.redirectUris].join() === redirectUriFor('second'),
      `After \`updateRegistration()\`, \`getClient()\` returns the redirect URIs ${inspectValue(now.redirectUris)}.`,
    );
    assert(
      !(await model.getClient(client.id, secret)),
      '`getClient()` still accepts the old secret after `updateRegistration()`.',
    );
    assert(
      await model.getRegistration(client.id, token),
      '`getRegistration()` rejects the registration access token after `updateRegistration()`, which did not replace it.',
    );
    assert(
      await model.updateRegistration(registrationOf(client.id, 'first'), {}),
      '`updateRegistration()` without a new secret returns false for a client that exists.',
    );
    assert(
      await model.getClient(client.id, clientSecret),
      '`updateRegistration()` without a new secret removed the present secret: `getClient()` no longer accepts it.',
    );
  });
}

async function assertRegistrationRemoved(context: CheckContext): Promise<void> {
  const model = modelOf(context);
  await withRegistration(context, async ({ registration, secret, token }) => {
    const { id } = registration.client;
    const accessToken = await saveTokenFor(context, id, secret);
    await model.revokeRegistration(registration);
    assert(!(await model.getClient(id, secret)), '`getClient()` finds a deleted client.');
    assert(!(await model.getRegistration(id, token)), '`getRegistration()` finds a deleted client.');
    await assertTokenRevoked(context, accessToken, 'deleted');
    assert(
      !(await model.updateRegistration(registration, {})),
      '`updateRegistration()` returns true for a deleted client.',
    );
  });
}
