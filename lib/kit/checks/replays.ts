import type { CheckContext, TokenResponseBody } from '../check-context.js';
import { type Check, assert, SkippedCheck } from '../contract.js';
import { findSaved, isRefused, lookUp, inspectValue } from './model-calls.js';
import type { SingleUseKind } from './token-kinds.js';
import { REVOKE_FAMILY } from './remedies.js';

/** What tells a thief's second use from nonsense. */
export function replayChecks(kind: SingleUseKind): Check[] {
  const { what, one, findMethod: finder, table } = kind;
  return [
    {
      name: `goes on finding ${one} that is spent, with its family and when it was spent`,
      feature: 'token families',
      needs: [...kind.needs, 'getAccessToken', 'revokeGrant'],
      attack: `a replay of the ${what} cannot be told from nonsense, so the thief who used it first keeps the tokens.`,
      remedy: `mark the row as spent, do not delete it: UPDATE ${table} SET revoked_at = now() …; \`${finder}()\` returns \`grantId\` and \`revokedAt\` until it expires.`,
      run: (trial) => assertUsedTokenFound(trial, kind),
    },
    {
      name: `ends the whole family when ${one} is used again`,
      feature: 'token families',
      needs: [...kind.needs, 'getAccessToken', 'revokeGrant'],
      attack: `of two who hold the ${what} one is a thief, and stays in.`,
      remedy: REVOKE_FAMILY,
      run: (trial) => assertReplayRevokesFamily(trial, kind),
    },
    {
      name: `ends the whole family when ${one} is used again, generations later`,
      feature: 'token families',
      needs: [...kind.needs, 'getAccessToken', 'getRefreshToken', 'revokeToken', 'revokeGrant'],
      attack: `the owner of the ${what} comes back after a thief has refreshed twice, is taken for somebody who makes up tokens, and the thief stays in.`,
      remedy: `keep every spent row until it expires, not only the last one of its family: no DELETE but WHERE expires_at < now().`,
      run: (trial) => assertLateReplayRevokesFamily(trial, kind),
    },
  ];
}

async function assertUsedTokenFound(trial: CheckContext, kind: SingleUseKind): Promise<void> {
  const { value, sent } = await kind.save(trial);
  const found = await findSaved(trial, kind, value);
  const of = `\`${kind.findMethod}()\` returns`;
  assert(
    found['grantId'] === sent['grantId'],
    `${of} \`grantId\` ${inspectValue(found['grantId'])} for ${inspectValue(sent['grantId'])}`,
  );
  assert(!found['revokedAt'], `${of} \`revokedAt\` ${inspectValue(found['revokedAt'])} before it is spent`);
  await kind.consume(trial.model, { ...found }, value);
  const spent = await lookUp(trial, kind, value);
  assert(spent, `${of} nothing once it is spent`);
  const at = spent['revokedAt'];
  assert(
    at instanceof Date && !Number.isNaN(at.getTime()),
    `${of} \`revokedAt\` ${inspectValue(at)} once it is spent, which is no Date`,
  );
  assert(spent['grantId'] === sent['grantId'], `${of} \`grantId\` ${inspectValue(spent['grantId'])} once it is spent`);
}

async function assertReplayRevokesFamily(trial: CheckContext, kind: SingleUseKind): Promise<void> {
  await trial.clientFor(kind.grant);
  const held = await kind.save(trial);
  const mine = (await kind.use(trial, held)) as TokenResponseBody;
  assert(await trial.acceptsAccessToken(mine.access_token), 'the access token is not let in even before the replay');
  assert(await isRefused(kind.use(trial, held)), `the server takes the ${kind.what} a second time`);
  assert(
    !(await trial.acceptsAccessToken(mine.access_token)),
    `the access token that came of the ${kind.what} is still let in`,
  );
  const original = held.sent['accessToken'] as string | undefined;
  assert(
    !original || !(await trial.acceptsAccessToken(original)),
    'the access token from before the refresh is still let in',
  );
  if (mine.refresh_token === undefined) return;
  const refused = await isRefused(trial.refresh(mine.refresh_token));
  assert(refused, `the refresh token that came of the ${kind.what} still gets tokens`);
}

async function assertLateReplayRevokesFamily(trial: CheckContext, kind: SingleUseKind): Promise<void> {
  const { grants } = await trial.clientFor(kind.grant);
  if (!grants.includes('refresh_token')) throw new SkippedCheck('`client` does not have the grant `refresh_token`');
  const held = await kind.save(trial);
  let tokens = (await kind.use(trial, held)) as TokenResponseBody;
  for (let generation = 1; generation <= 3; generation += 1) {
    assert(tokens.refresh_token, '`saveToken()` does not return the `refreshToken`, so the client never gets it');
    tokens = await trial.refresh(tokens.refresh_token);
  }
  assert(await trial.acceptsAccessToken(tokens.access_token), 'the access token is not let in even before the replay');
  assert(await isRefused(kind.use(trial, held)), `the server takes the ${kind.what} a second time`);
  const survives = await trial.acceptsAccessToken(tokens.access_token);
  assert(!survives, `the ${kind.what} is forgotten three generations later: the access token is still let in`);
  const refused = tokens.refresh_token === undefined || (await isRefused(trial.refresh(tokens.refresh_token)));
  assert(refused, `the ${kind.what} is forgotten three generations later: the refresh token still gets tokens`);
}
