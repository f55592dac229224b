import type { Trial, HeldTokens } from '../trial.js';
import { type Check, demand, LeftOut } from '../contract.js';
import { find, isRefused, lookUp, shown } from './finding.js';
import type { SpendableKind } from './kinds.js';
import { REVOKE_FAMILY } from './remedies.js';

/** What tells a thief's second use from nonsense. */
export function replayChecks(kind: SpendableKind): Check[] {
  const { what, one, finder, table } = kind;
  return [
    {
      name: `goes on finding ${one} that is spent, with its family and when it was spent`,
      feature: 'token families',
      needs: [...kind.needs, 'getAccessToken', 'revokeGrant'],
      attack: `a replay of the ${what} cannot be told from nonsense, so the thief who used it first keeps the tokens.`,
      remedy: `mark the row as spent, do not delete it: UPDATE ${table} SET revoked_at = now() …; \`${finder}()\` returns \`grantId\` and \`revokedAt\` until it expires.`,
      run: (trial) => demandTrace(trial, kind),
    },
    {
      name: `ends the whole family when ${one} is used again`,
      feature: 'token families',
      needs: [...kind.needs, 'getAccessToken', 'revokeGrant'],
      attack: `of two who hold the ${what} one is a thief, and stays in.`,
      remedy: REVOKE_FAMILY,
      run: (trial) => demandReplayNoticed(trial, kind),
    },
    {
      name: `ends the whole family when ${one} is used again, generations later`,
      feature: 'token families',
      needs: [...kind.needs, 'getAccessToken', 'getRefreshToken', 'revokeToken', 'revokeGrant'],
      attack: `the owner of the ${what} comes back after a thief has refreshed twice, is taken for somebody who makes up tokens, and the thief stays in.`,
      remedy: `keep every spent row until it expires, not only the last one of its family: no DELETE but WHERE expires_at < now().`,
      run: (trial) => demandLateReplayNoticed(trial, kind),
    },
  ];
}

async function demandTrace(trial: Trial, kind: SpendableKind): Promise<void> {
  const { value, sent } = await kind.save(trial);
  const found = await find(trial, kind, value);
  const of = `\`${kind.finder}()\` returns`;
  demand(
    found['grantId'] === sent['grantId'],
    `${of} \`grantId\` ${shown(found['grantId'])} for ${shown(sent['grantId'])}`,
  );
  demand(!found['revokedAt'], `${of} \`revokedAt\` ${shown(found['revokedAt'])} before it is spent`);
  await kind.spend(trial.model, { ...found }, value);
  const spent = await lookUp(trial, kind, value);
  demand(spent, `${of} nothing once it is spent`);
  const at = spent['revokedAt'];
  demand(
    at instanceof Date && !Number.isNaN(at.getTime()),
    `${of} \`revokedAt\` ${shown(at)} once it is spent, which is no Date`,
  );
  demand(spent['grantId'] === sent['grantId'], `${of} \`grantId\` ${shown(spent['grantId'])} once it is spent`);
}

async function demandReplayNoticed(trial: Trial, kind: SpendableKind): Promise<void> {
  await trial.clientFor(kind.grant);
  const held = await kind.save(trial);
  const mine = (await kind.use(trial, held)) as HeldTokens;
  demand(await trial.isLetIn(mine.access_token), 'the access token is not let in even before the replay');
  demand(await isRefused(kind.use(trial, held)), `the server takes the ${kind.what} a second time`);
  demand(!(await trial.isLetIn(mine.access_token)), `the access token that came of the ${kind.what} is still let in`);
  const original = held.sent['accessToken'] as string | undefined;
  demand(!original || !(await trial.isLetIn(original)), 'the access token from before the refresh is still let in');
  if (mine.refresh_token === undefined) return;
  const refused = await isRefused(trial.refresh(mine.refresh_token));
  demand(refused, `the refresh token that came of the ${kind.what} still gets tokens`);
}

async function demandLateReplayNoticed(trial: Trial, kind: SpendableKind): Promise<void> {
  const { grants } = await trial.clientFor(kind.grant);
  if (!grants.includes('refresh_token')) throw new LeftOut('`client` does not have the grant `refresh_token`');
  const held = await kind.save(trial);
  let tokens = (await kind.use(trial, held)) as HeldTokens;
  for (let generation = 1; generation <= 3; generation += 1) {
    demand(tokens.refresh_token, '`saveToken()` does not return the `refreshToken`, so the client never gets it');
    tokens = await trial.refresh(tokens.refresh_token);
  }
  demand(await trial.isLetIn(tokens.access_token), 'the access token is not let in even before the replay');
  demand(await isRefused(kind.use(trial, held)), `the server takes the ${kind.what} a second time`);
  const survives = await trial.isLetIn(tokens.access_token);
  demand(!survives, `the ${kind.what} is forgotten three generations later: the access token is still let in`);
  const refused = tokens.refresh_token === undefined || (await isRefused(trial.refresh(tokens.refresh_token)));
  demand(refused, `the ${kind.what} is forgotten three generations later: the refresh token still gets tokens`);
}
