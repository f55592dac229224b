import type { Trial } from '../trial.js';
import { byClock } from '../clock.js';
import { type Check, demand } from '../contract.js';
import { answerOf, find, isRefused, lookUp, shown } from './finding.js';
import { ACCESS_TOKEN, REFRESH_TOKEN, type SpendableKind } from './kinds.js';
import { BY_ONE_CLOCK, REVOKE_FAMILY } from './remedies.js';

/** What else may be the time in another process, or was it in this one before its clock was set. */
export const CLOCKS: readonly [how: string, ahead: number][] = [
  ['5 seconds ahead', 5000],
  ['5 seconds behind', -5000],
  ['an hour ahead', 3_600_000],
];

/** What holds for what is spent once, whatever the clocks of two processes say. */
export function clockChecks(kind: SpendableKind): Check[] {
  const { what, one, feature, needs } = kind;
  return [
    {
      name: `spends ${one} once for processes whose clocks differ`,
      feature,
      needs,
      attack: `what one process has spent another takes for good until its clock has come so far: whoever stole the ${what} waits for nothing, but only tries the next process.`,
      remedy: BY_ONE_CLOCK,
      run: (trial) => demandOnceByAllClocks(trial, kind),
    },
  ];
}

/** What holds for families, whatever the clocks of two processes say. */
export const FAMILY_CLOCK_CHECKS: readonly Check[] = [
  {
    name: 'ends a family for processes whose clocks differ',
    feature: 'token families',
    needs: ACCESS_TOKEN.needs.concat('getClient', 'revokeGrant'),
    attack:
      'the token that a process with a fast clock has issued is younger than the moment at which the thief was found out, and stays good.',
    remedy: `let a mark on the grant decide, not a comparison of moments: ${REVOKE_FAMILY}`,
    run: demandEndByAllClocks,
  },
  {
    name: 'counts by one clock how long ago a refresh token was spent',
    feature: 'token families',
    needs: REFRESH_TOKEN.needs.concat('revokeGrant'),
    attack:
      'where clocks differ, a stolen refresh token is "a retry" for longer than `refreshTokenReuseInterval`, and its owner is never warned.',
    remedy: `let the database subtract, or leave \`revokedAgo\` out.
  SQL    SELECT …, extract(epoch FROM now() - revoked_at) AS revoked_ago, where \`revoked_at\` was written as now() too
  Redis  TIME in the script that spends, and in the one that finds`,
    run: demandOneClock,
  },
];

async function demandOnceByAllClocks(trial: Trial, kind: SpendableKind): Promise<void> {
  const { spender, one } = kind;
  await trial.clientFor(kind.grant);
  for (const [how, ahead] of CLOCKS) {
    const [first, second] = [await spentBy(trial, kind, ahead), await spentBy(trial, kind, ahead)];
    const found = await lookUp(trial, kind, first.value);
    const of = `${one} that was spent by a process whose clock is ${how}`;
    const again = found && (await answerOf(() => kind.spend(trial.model, { ...found }, first.value), of));
    demand(!again, `\`${spender}()\` returns ${shown(again)} again for ${of}`);
    demand(await isRefused(kind.use(trial, second)), `the server gives tokens for ${of}`);
  }
}

async function spentBy(trial: Trial, kind: SpendableKind, ahead: number) {
  return byClock(ahead, async () => {
    const held = await kind.save(trial);
    const found = await find(trial, kind, held.value);
    await kind.spend(trial.model, { ...found }, held.value);
    return held;
  });
}

async function demandEndByAllClocks(trial: Trial): Promise<void> {
  for (const [how, ahead] of CLOCKS) {
    const grantId = trial.newGrant()!;
    const save = () => byClock(ahead, async () => trial.saveToken({ grantId }));
    const { saved } = await save();
    await trial.model.revokeGrant!(grantId);
    const of = `an access token that a process whose clock is ${how} has issued`;
    demand(!(await trial.isLetIn(saved.accessToken)), `${of} outlives its family`);
    const late = await save().catch(() => undefined);
    demand(!late || !(await trial.isLetIn(late.saved.accessToken)), `${of} on the ended family is let in`);
  }
}

async function demandOneClock(trial: Trial): Promise<void> {
  for (const [how, ahead] of CLOCKS) {
    const started = performance.now();
    const { value } = await spentBy(trial, REFRESH_TOKEN, ahead);
    const ago = (await lookUp(trial, REFRESH_TOKEN, value))?.['revokedAgo'];
    // The server counts by its own clock then, and forgives nothing that was spent in the future.
    if (ago === undefined || ago === null) continue;
    const most = (performance.now() - started) / 1000;
    // A column may keep whole seconds.
    const isRight = typeof ago === 'number' && ago >= -1 && ago <= most + 1;
    const of = `\`getRefreshToken()\` returns \`revokedAgo\` ${shown(ago)}`;
    demand(
      isRight,
      `${of} for what was spent at most ${most.toFixed(1)} seconds ago by a process whose clock is ${how}`,
    );
  }
}
