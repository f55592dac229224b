import type { CheckContext } from '../check-context.js';
import { withClockOffset } from '../clock.js';
import { type Check, assert } from '../contract.js';
import { callModel, findSaved, isRefused, lookUp, inspectValue } from './model-calls.js';
import { ACCESS_TOKEN, REFRESH_TOKEN, type SingleUseKind } from './token-kinds.js';
import { CLOCK_INDEPENDENT, REVOKE_FAMILY } from './remedies.js';

/** What else may be the time in another process, or was it in this one before its clock was set. */
export const CLOCKS: readonly [how: string, ahead: number][] = [
  ['5 seconds ahead', 5000],
  ['5 seconds behind', -5000],
  ['an hour ahead', 3_600_000],
];

/** What holds for what is spent once, whatever the clocks of two processes say. */
export function clockChecks(kind: SingleUseKind): Check[] {
  const { what, one, feature, needs } = kind;
  return [
    {
      name: `spends ${one} once for processes whose clocks differ`,
      feature,
      needs,
      attack: `what one process has spent another takes for good until its clock has come so far: whoever stole the ${what} waits for nothing, but only tries the next process.`,
      remedy: CLOCK_INDEPENDENT,
      run: (trial) => assertSingleUseDespiteClockSkew(trial, kind),
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
    run: assertRevokedDespiteClockSkew,
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
    run: assertRevokedAgoByOneClock,
  },
];

async function assertSingleUseDespiteClockSkew(trial: CheckContext, kind: SingleUseKind): Promise<void> {
  const { consumeMethod: spender, one } = kind;
  await trial.clientFor(kind.grant);
  for (const [how, ahead] of CLOCKS) {
    const [first, second] = [
      await consumedWithOffset(trial, kind, ahead),
      await consumedWithOffset(trial, kind, ahead),
    ];
    const found = await lookUp(trial, kind, first.value);
    const of = `${one} that was spent by a process whose clock is ${how}`;
    const again = found && (await callModel(() => kind.consume(trial.model, { ...found }, first.value), of));
    assert(!again, `\`${spender}()\` returns ${inspectValue(again)} again for ${of}`);
    assert(await isRefused(kind.use(trial, second)), `the server gives tokens for ${of}`);
  }
}

async function consumedWithOffset(trial: CheckContext, kind: SingleUseKind, ahead: number) {
  return withClockOffset(ahead, async () => {
    const held = await kind.save(trial);
    const found = await findSaved(trial, kind, held.value);
    await kind.consume(trial.model, { ...found }, held.value);
    return held;
  });
}

async function assertRevokedDespiteClockSkew(trial: CheckContext): Promise<void> {
  for (const [how, ahead] of CLOCKS) {
    const grantId = trial.newGrantId()!;
    const save = () => withClockOffset(ahead, async () => trial.saveToken({ grantId }));
    const { saved } = await save();
    await trial.model.revokeGrant!(grantId);
    const of = `an access token that a process whose clock is ${how} has issued`;
    assert(!(await trial.acceptsAccessToken(saved.accessToken)), `${of} outlives its family`);
    const late = await save().catch(() => undefined);
    assert(!late || !(await trial.acceptsAccessToken(late.saved.accessToken)), `${of} on the ended family is let in`);
  }
}

async function assertRevokedAgoByOneClock(trial: CheckContext): Promise<void> {
  for (const [how, ahead] of CLOCKS) {
    const started = performance.now();
    const { value } = await consumedWithOffset(trial, REFRESH_TOKEN, ahead);
    const ago = (await lookUp(trial, REFRESH_TOKEN, value))?.['revokedAgo'];
    // The server counts by its own clock then, and forgives nothing that was spent in the future.
    if (ago === undefined || ago === null) continue;
    const most = (performance.now() - started) / 1000;
    // A column may keep whole seconds.
    const isRight = typeof ago === 'number' && ago >= -1 && ago <= most + 1;
    const of = `\`getRefreshToken()\` returns \`revokedAgo\` ${inspectValue(ago)}`;
    assert(
      isRight,
      `${of} for what was spent at most ${most.toFixed(1)} seconds ago by a process whose clock is ${how}`,
    );
  }
}
