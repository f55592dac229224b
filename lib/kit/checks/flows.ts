import { Response } from '../../http/response.js';
import type { CheckContext } from '../check-context.js';
import { type Check, assert, SkippedCheck } from '../contract.js';
import { authorizationRequest, bearerRequest } from '../requests.js';
import { findSaved, isRefused, inspectValue } from './model-calls.js';
import { AUTHORIZATION_CODE } from './token-kinds.js';

const feature = 'authorization codes';
const { needs } = AUTHORIZATION_CODE;

/** What a code carries from the authorization endpoint to the token endpoint. */
export const FLOW_CHECKS: readonly Check[] = [
  {
    name: 'takes a user through the authorization code flow',
    feature,
    needs,
    attack: 'nobody needs to attack: nobody gets a token.',
    remedy:
      'save codes and tokens with all fields that are given, and return them from `saveAuthorizationCode()` and `saveToken()` together with client and user.',
    run: assertFlowCompletes,
  },
  {
    name: 'keeps the redirect URI of an authorization code',
    feature,
    needs,
    attack:
      'a code that was sent to one of the redirect URIs of a client, the careless one, is redeemed as if it had come by another.',
    remedy: 'a column `redirect_uri` beside the code, long enough (2048), empty when none is given.',
    run: assertRedirectUriStored,
  },
  {
    name: 'keeps the code challenge of PKCE',
    feature,
    needs,
    attack:
      'whoever steals a code, say through another app on the same telephone, redeems it without the verifier: PKCE is off, and nobody notices.',
    remedy:
      'columns `code_challenge` (128 characters) and `code_challenge_method` beside the code; return them as `codeChallenge` and `codeChallengeMethod`.',
    run: assertChallengeStored,
  },
  {
    name: 'trusts no redirect URI but those of the client',
    feature,
    needs: ['getClient', 'saveAuthorizationCode'],
    attack: 'a link sends the user to your consent page, and the code to the attacker.',
    remedy:
      '`validateRedirectUri(uri, client)`: `client.redirectUris.includes(uri)` on a list of whole URIs; no startsWith, no pattern, no comparison of hosts. Best leave the method out.',
    run: assertOnlyRegisteredRedirectUris,
  },
  {
    name: 'lets a token into no route beyond its scope',
    feature: 'access tokens',
    needs: ['getAccessToken', 'saveToken', 'verifyScope'],
    attack: 'any token, the most harmless, opens every route of the API.',
    remedy:
      '`verifyScope(token, scope)`: every value of the scope, as a whole word, must be among those of the token. Best leave the method out: the server compares them.',
    run: assertScopeVerified,
  },
];

async function assertScopeVerified(trial: CheckContext): Promise<void> {
  const { saved } = await trial.saveToken({ scope: trial.scope(['kit:read', 'kit:write']) });
  for (const scope of ['kit:never', 'kit', 'read', 'kit:read kit:never']) {
    const entry = trial.server().authenticate(bearerRequest(saved.accessToken), new Response(), { scope });
    assert(
      await isRefused(entry),
      `a token with the scope 'kit:read kit:write' is let in where '${scope}' is demanded`,
    );
  }
}

async function assertFlowCompletes(trial: CheckContext): Promise<void> {
  const client = await trial.clientFor('authorization_code');
  const [redirectUri] = client.redirectUris ?? [];
  if (redirectUri === undefined) throw new SkippedCheck('`client` has no redirect URI');
  const user = await trial.user();
  const proof = trial.newPkcePair();
  const request = authorizationRequest({
    client_id: trial.fixture.id,
    redirect_uri: redirectUri,
    scope: trial.scopeText,
    code_challenge: proof.codeChallenge,
    code_challenge_method: proof.codeChallengeMethod,
  });
  const response = new Response();
  await trial.server().authorize(request, response, { authenticateHandler: { handle: () => user } });
  const code = new URL(response.get('location')!).searchParams.get('code')!;
  const tokens = await trial.redeem({ code, redirectUri, verifier: proof.verifier });
  assert(
    !trial.model.getAccessToken || (await trial.acceptsAccessToken(tokens.access_token)),
    'its access token is not let in',
  );
  if (!trial.model.getRefreshToken || !client.grants.includes('refresh_token')) return;
  assert(tokens.refresh_token, '`saveToken()` does not return the `refreshToken`, so the client never gets it');
  await trial.refresh(tokens.refresh_token);
}

async function assertRedirectUriStored(trial: CheckContext): Promise<void> {
  const sent = 'https://client.example/callback?tenant=7&next=%2Fhome#'.slice(0, -1);
  const { held } = await trial.saveCode({ redirectUri: sent });
  const { redirectUri } = await findSaved(trial, AUTHORIZATION_CODE, held.code);
  assert(
    redirectUri === sent,
    `\`getAuthorizationCode()\` returns \`redirectUri\` ${inspectValue(redirectUri)} for ${inspectValue(sent)}`,
  );
}

async function assertChallengeStored(trial: CheckContext): Promise<void> {
  await trial.clientFor('authorization_code');
  const { sent, held } = await trial.saveCode({}, true);
  const found = await findSaved(trial, AUTHORIZATION_CODE, held.code);
  for (const field of ['codeChallenge', 'codeChallengeMethod'] as const) {
    const of = `\`getAuthorizationCode()\` returns \`${field}\` ${inspectValue(found[field])} for ${inspectValue(sent[field])}`;
    assert(found[field] === sent[field], of);
  }
  const refused = await isRefused(trial.redeem({ ...held, verifier: undefined }));
  assert(refused, 'the server gives tokens for a code with a challenge to a client without its verifier');
}

async function assertOnlyRegisteredRedirectUris(trial: CheckContext): Promise<void> {
  const client = await trial.clientFor('authorization_code');
  const [registered] = client.redirectUris ?? [];
  const user = await trial.user();
  for (const uri of ['https://attacker.example/', ...(registered === undefined ? [] : lookalikes(registered))]) {
    if (client.redirectUris?.includes(uri)) continue;
    const response = new Response();
    const request = authorizationRequest({ client_id: trial.fixture.id, redirect_uri: uri });
    await isRefused(trial.server().authorize(request, response, { authenticateHandler: { handle: () => user } }));
    assert(
      response.get('location') === undefined,
      `the server sends the user to ${inspectValue(uri)}, which is not registered`,
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
