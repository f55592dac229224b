import type { CheckContext, TokenResponseBody } from '../check-context.js';
import { type Check, assert, SkippedCheck } from '../contract.js';
import { findSaved, isRefused, lookUp, inspectValue } from './model-calls.js';
import type { SingleUseKind } from './token-kinds.js';
import { REVOKE_FAMILY } from './remedies.js';

/**
 * Returns the checks of replay detection: the model still finds a used code or refresh token, and a replay revokes the
 * family.
 */
export function replayChecks(kind: SingleUseKind): Check[] {
  const { token, aToken, findMethod, table } = kind;
  return [
    {
      name: `still finds ${aToken} after its use, with \`grantId\` and \`revokedAt\``,
      feature: 'token families',
      needs: [...kind.needs, 'getAccessToken', 'revokeGrant'],
      attack: `The server cannot distinguish a used ${token} from an unknown one. An attacker who uses it before its owner keeps the tokens, since the replay by the owner is not detected.`,
      remedy: `Mark the row as used instead of deleting it: UPDATE ${table} SET revoked_at = now() …. Until the ${token} expires, \`${findMethod}()\` returns it with \`grantId\` and \`revokedAt\`.`,
      run: (context) => assertUsedTokenFound(context, kind),
    },
    {
      name: `lets the server revoke the whole family when ${aToken} is replayed`,
      feature: 'token families',
      needs: [...kind.needs, 'getAccessToken', 'revokeGrant'],
      attack: `An attacker and the owner both have the ${token}. After a replay, the attacker keeps access.`,
      remedy: REVOKE_FAMILY,
      run: (context) => assertReplayRevokesFamily(context, kind),
    },
    {
      name: `lets the server revoke the whole family when ${aToken} is replayed after several rotations`,
      feature: 'token families',
      needs: [...kind.needs, 'getAccessToken', 'getRefreshToken', 'revokeToken', 'revokeGrant'],
      attack: `An attacker has refreshed several times when the owner sends the ${token}. The server treats it as an unknown ${token}, so the attacker keeps access.`,
      remedy: `Keep every used row until it expires, not only the last one of its family. Delete rows only WHERE expires_at < now().`,
      run: (context) => assertLateReplayRevokesFamily(context, kind),
    },
  ];
}

async function assertUsedTokenFound(context: CheckContext, kind: SingleUseKind): Promise<void> {
  const { value, sent } = await kind.save(context);
  const stored = await findSaved(context, kind, value);
  const observation = `\`${kind.findMethod}()\` returns`;
  assert(
    stored['grantId'] === sent['grantId'],
    `${observation} \`grantId\` ${inspectValue(stored['grantId'])}. Saved was ${inspectValue(sent['grantId'])}.`,
  );
  assert(
    !stored['revokedAt'],
    `${observation} \`revokedAt\` ${inspectValue(stored['revokedAt'])} before the ${kind.token} is used.`,
  );
  await kind.consume(context.model, { ...stored }, value);
  const used = await lookUp(context, kind, value);
  assert(
    used,
    `${observation} nothing after the ${kind.token} is used. It must return the used ${kind.token} until it expires.`,
  );
  const at = used['revokedAt'];
  assert(
    at instanceof Date && !Number.isNaN(at.getTime()),
    `${observation} \`revokedAt\` ${inspectValue(at)} after the ${kind.token} is used. It must be a Date.`,
  );
  assert(
    used['grantId'] === sent['grantId'],
    `${observation} \`grantId\` ${inspectValue(used['grantId'])} after the ${kind.token} is used. Saved was ${inspectValue(sent['grantId'])}.`,
  );
}

async function assertReplayRevokesFamily(context: CheckContext, kind: SingleUseKind): Promise<void> {
  await context.clientFor(kind.grant);
  const held = await kind.save(context);
  const tokens = (await kind.use(context, held)) as TokenResponseBody;
  assert(
    await context.acceptsAccessToken(tokens.access_token),
    'The server does not accept the access token even before the replay that this check sends.',
  );
  assert(await isRefused(kind.use(context, held)), `The server accepts the ${kind.token} a second time.`);
  assert(
    !(await context.acceptsAccessToken(tokens.access_token)),
    `After the replay, the server still accepts the access token that was issued for the ${kind.token}.`,
  );
  const original = held.sent['accessToken'] as string | undefined;
  assert(
    !original || !(await context.acceptsAccessToken(original)),
    'After the replay, the server still accepts the access token that was issued before the refresh.',
  );
  if (tokens.refresh_token === undefined) return;
  const refused = await isRefused(context.refresh(tokens.refresh_token));
  assert(refused, `After the replay, the refresh token that was issued for the ${kind.token} is still accepted.`);
}

async function assertLateReplayRevokesFamily(context: CheckContext, kind: SingleUseKind): Promise<void> {
  const { grants } = await context.clientFor(kind.grant);
  if (!grants.includes('refresh_token'))
    throw new SkippedCheck('`client` in the fixtures does not have the grant `refresh_token`');
  const held = await kind.save(context);
  let tokens = (await kind.use(context, held)) as TokenResponseBody;
  for (let generation = 1; generation <= 3; generation += 1) {
    assert(tokens.refresh_token, '`saveToken()` does not return the `refreshToken`, so the client never receives it.');
    tokens = await context.refresh(tokens.refresh_token);
  }
  assert(
    await context.acceptsAccessToken(tokens.access_token),
    'The server does not accept the access token even before the replay that this check sends.',
  );
  assert(await isRefused(kind.use(context, held)), `The server accepts the ${kind.token} a second time.`);
  const survives = await context.acceptsAccessToken(tokens.access_token);
  assert(
    !survives,
    `A replay of the ${kind.token} three rotations later is not detected: the access token is still accepted.`,
  );
  const refused = tokens.refresh_token === undefined || (await isRefused(context.refresh(tokens.refresh_token)));
  assert(
    refused,
    `A replay of the ${kind.token} three rotations later is not detected: the refresh token is still accepted.`,
  );
}
