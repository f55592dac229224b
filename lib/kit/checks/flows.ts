import { Response } from '../../http/response.js';
import type { CheckContext } from '../check-context.js';
import { type Check, assert, SkippedCheck } from '../contract.js';
import { authorizationRequest, bearerRequest } from '../requests.js';
import { findSaved, isRefused, inspectValue } from './model-calls.js';
import { AUTHORIZATION_CODE } from './token-kinds.js';

const feature = 'authorization codes';
const { needs } = AUTHORIZATION_CODE;

/**
 * The checks of the authorization code flow: whether the model stores the data that a code carries from the
 * authorization endpoint to the token endpoint.
 */
export const FLOW_CHECKS: readonly Check[] = [
  {
    name: 'completes the authorization code flow',
    feature,
    needs,
    attack: 'No attack is needed: no user can get a token.',
    remedy:
      'Save codes and tokens with all properties that are passed. Return them, with client and user, from `saveAuthorizationCode()` and `saveToken()`.',
    run: assertFlowCompletes,
  },
  {
    name: 'returns the redirect URI that an authorization code was saved with',
    feature,
    needs,
    attack:
      'The server sent a code to an insecure redirect URI of the client. An attacker who reads it there redeems it with another redirect URI of the client.',
    remedy: 'Add a column `redirect_uri` to the codes, of at least 2048 characters, null if no redirect URI is passed.',
    run: assertRedirectUriStored,
  },
  {
    name: 'returns the PKCE code challenge that an authorization code was saved with',
    feature,
    needs,
    attack:
      'An attacker who steals a code, for example with another app on the same phone, redeems it without the code verifier: PKCE has no effect.',
    remedy:
      'Add the columns `code_challenge` (128 characters) and `code_challenge_method` to the codes. Return them as `codeChallenge` and `codeChallengeMethod`.',
    run: assertChallengeStored,
  },
  {
    name: 'makes the server redirect only to registered redirect URIs of the client',
    feature,
    needs: ['getClient', 'saveAuthorizationCode'],
    attack:
      'An attacker sends users a link to your consent page. After consent, the server sends the authorization code to the attacker.',
    remedy:
      'Omit `validateRedirectUri(uri, client)` if you can. If you need it, use `client.redirectUris.includes(uri)` with complete URIs. Do not use startsWith, patterns or a comparison of hosts.',
    run: assertOnlyRegisteredRedirectUris,
  },
  {
    name: 'makes the server reject a token at routes that require a scope outside the scope of the token',
    feature: 'access tokens',
    needs: ['getAccessToken', 'saveToken', 'verifyScope'],
    attack: 'Any token, however limited its scope, gives access to every route of the API.',
    remedy:
      'Best omit `verifyScope(token, scope)`: the server compares the scopes. If you need it, require each value of the scope, as a whole word, among those of the token.',
    run: assertScopeVerified,
  },
];

async function assertScopeVerified(context: CheckContext): Promise<void> {
  const { saved } = await context.saveToken({ scope: context.scope(['kit:read', 'kit:write']) });
  for (const scope of ['kit:never', 'kit', 'read', 'kit:read kit:never']) {
    const entry = context.server().authenticate(bearerRequest(saved.accessToken), new Response(), { scope });
    assert(
      await isRefused(entry),
      `A token with the scope 'kit:read kit:write' is accepted for a route that requires '${scope}'.`,
    );
  }
}

async function assertFlowCompletes(context: CheckContext): Promise<void> {
  const client = await context.clientFor('authorization_code');
  const [redirectUri] = client.redirectUris ?? [];
  if (redirectUri === undefined) throw new SkippedCheck('`client` in the fixtures has no redirect URI');
  const user = await context.user();
  const proof = context.newPkcePair();
  const request = authorizationRequest({
    client_id: context.fixture.id,
    redirect_uri: redirectUri,
    scope: context.scopeText,
    code_challenge: proof.codeChallenge,
    code_challenge_method: proof.codeChallengeMethod,
  });
  const response = new Response();
  await context.server().authorize(request, response, { authenticateHandler: { handle: () => user } });
  const code = new URL(response.get('location')!).searchParams.get('code')!;
  const tokens = await context.redeem({ code, redirectUri, verifier: proof.verifier });
  assert(
    !context.model.getAccessToken || (await context.acceptsAccessToken(tokens.access_token)),
    'The server does not accept the access token that the flow returned.',
  );
  if (!context.model.getRefreshToken || !client.grants.includes('refresh_token')) return;
  assert(tokens.refresh_token, '`saveToken()` does not return the `refreshToken`, so the client never receives it.');
  await context.refresh(tokens.refresh_token);
}

async function assertRedirectUriStored(context: CheckContext): Promise<void> {
  const sent = 'https://client.example/callback?tenant=7&next=%2Fhome#'.slice(0, -1);
  const { held } = await context.saveCode({ redirectUri: sent });
  const { redirectUri } = await findSaved(context, AUTHORIZATION_CODE, held.code);
  assert(
    redirectUri === sent,
    `\`getAuthorizationCode()\` returns \`redirectUri\` ${inspectValue(redirectUri)}. Saved was ${inspectValue(sent)}.`,
  );
}

async function assertChallengeStored(context: CheckContext): Promise<void> {
  await context.clientFor('authorization_code');
  const { sent, held } = await context.saveCode({}, true);
  const stored = await findSaved(context, AUTHORIZATION_CODE, held.code);
  for (const field of ['codeChallenge', 'codeChallengeMethod'] as const) {
    const message = `\`getAuthorizationCode()\` returns \`${field}\` ${inspectValue(stored[field])}. Saved was ${inspectValue(sent[field])}.`;
    assert(stored[field] === sent[field], message);
  }
  const refused = await isRefused(context.redeem({ ...held, verifier: undefined }));
  assert(refused, 'The server redeems a code that has a PKCE challenge, although the client sends no code verifier.');
}

async function assertOnlyRegisteredRedirectUris(context: CheckContext): Promise<void> {
  const client = await context.clientFor('authorization_code');
  const [registered] = client.redirectUris ?? [];
  const user = await context.user();
  for (const uri of ['https://attacker.example/', ...(registered === undefined ? [] : lookalikes(registered))]) {
    if (client.redirectUris?.includes(uri)) continue;
    const response = new Response();
    const request = authorizationRequest({ client_id: context.fixture.id, redirect_uri: uri });
    await isRefused(context.server().authorize(request, response, { authenticateHandler: { handle: () => user } }));
    assert(
      response.get('location') === undefined,
      `The server redirects the user to ${inspectValue(uri)}, which is not registered for the client.`,
    );
  }
}

function lookalikes(uri: string): string[] {
  const { protocol, host, origin, pathname } = new URL(uri);
  if (origin === 'null') return [`${uri}/more`];
  return [
    `${origin}.attacker.example${pathname}`,
    `${protocol}//attacker.example/?${uri}`,
    `${protocol}//${host}@attacker.example${pathname}`,
    `${uri}/../open-redirect`,
    `${uri}more`,
    uri.slice(0, -1),
  ];
}
