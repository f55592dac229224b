import type { CheckContext } from '../check-context.js';
import { withClockOffset } from '../clock.js';
import { type Check, assert } from '../contract.js';
import { callModel, findSaved, isRefused, lookUp, inspectValue } from './model-calls.js';
import { ACCESS_TOKEN, REFRESH_TOKEN, type SingleUseKind } from './token-kinds.js';
import { CLOCK_INDEPENDENT, REVOKE_FAMILY } from './remedies.js';

/**
 * The clock offsets in milliseconds that the checks simulate, each with a description. The clock of another process may
 * be ahead or behind, or the clock of this process may be reset.
 */
export const CLOCKS: readonly [how: string, ahead: number][] = [
  ['5 seconds ahead', 5000],
  ['5 seconds behind', -5000],
  ['1 hour ahead', 3_600_000],
];

/** Returns the checks that a code or refresh token is single-use even if processes have different clocks. */
export function clockChecks(kind: SingleUseKind): Check[] {
  const { aToken, feature, needs } = kind;
  return [
    {
      name: `accepts ${aToken} once, even if the clocks of processes differ`,
      feature,
      needs,
      attack: `One process marked ${aToken} as used. Another process, whose clock is slower, still accepts it from an attacker who has stolen it.`,
      remedy: CLOCK_INDEPENDENT,
      run: (context) => assertSingleUseDespiteClockSkew(context, kind),
    },
  ];
}

/** The checks that token families are revoked correctly if processes have different clocks. */
export const FAMILY_CLOCK_CHECKS: readonly Check[] = [
  {
    name: 'revokes all tokens of a family, even if the clocks of processes differ',
    feature: 'token families',
    needs: ACCESS_TOKEN.needs.concat('getClient', 'revokeGrant'),
    attack:
      'A process with a fast clock issues a token, which then seems to be younger than the revocation of its family. The token of the attacker stays valid.',
    remedy: `Decide by a mark on the grant, never by comparing times. ${REVOKE_FAMILY}`,
    run: assertRevokedDespiteClockSkew,
  },
  {
    name: 'returns in `revokedAgo` how long ago a refresh token was used, even if the clocks of processes differ',
    feature: 'token families',
    needs: REFRESH_TOKEN.needs.concat('revokeGrant'),
    attack:
      'If clocks differ, a stolen refresh token passes as a retry for longer than `refreshTokenReuseInterval`, so its replay is not detected.',
    remedy: `Let the database subtract the times, or omit \`revokedAgo\`.
  SQL    SELECT …, extract(epoch FROM now() - revoked_at) AS revoked_ago, where \`revoked_at\` was also written as now()
  Redis  TIME in the script that marks the token as used, and in the script that finds it`,
    run: assertRevokedAgoByOneClock,
  },
];

async function assertSingleUseDespiteClockSkew(context: CheckContext, kind: SingleUseKind): Promise<void> {
  const { consumeMethod, aToken } = kind;
  await context.clientFor(kind.grant);
  for (const [how, ahead] of CLOCKS) {
    const [first, second] = [
      await consumedWithOffset(context, kind, ahead),
      await consumedWithOffset(context, kind, ahead),
    ];
    const stored = await lookUp(context, kind, first.value);
    const token = `${aToken} that was already used by a process whose clock is ${how}`;
    const again = stored && (await callModel(() => kind.consume(context.model, { ...stored }, first.value), token));
    assert(!again, `\`${consumeMethod}()\` returns ${inspectValue(again)} again for ${token}.`);
    assert(await isRefused(kind.use(context, second)), `The server issues tokens for ${token}.`);
  }
}

async function consumedWithOffset(context: CheckContext, kind: SingleUseKind, ahead: number) {
  return withClockOffset(ahead, async () => {
    const held = await kind.save(context);
    const stored = await findSaved(context, kind, held.value);
    await kind.consume(context.model, { ...stored }, held.value);
    return held;
  });
}

async function assertRevokedDespiteClockSkew(context: CheckContext): Promise<void> {
  for (const [how, ahead] of CLOCKS) {
    const grantId = context.newGrantId()!;
    const save = () => withClockOffset(ahead, async () => context.saveToken({ grantId }));
    const { saved } = await save();
    await context.model.revokeGrant!(grantId);
    const token = `an access token that was issued by a process whose clock is ${how}`;
    assert(
      !(await context.acceptsAccessToken(saved.accessToken)),
      `The server accepts ${token}, although the family was revoked after the token was saved.`,
    );
    const late = await save().catch(() => undefined);
    assert(
      !late || !(await context.acceptsAccessToken(late.saved.accessToken)),
      `The server accepts ${token}, although the family was revoked before the token was saved.`,
    );
  }
}

async function assertRevokedAgoByOneClock(context: CheckContext): Promise<void> {
  for (const [how, ahead] of CLOCKS) {
    const started = performance.now();
    const { value } = await consumedWithOffset(context, REFRESH_TOKEN, ahead);
    const ago = (await lookUp(context, REFRESH_TOKEN, value))?.['revokedAgo'];
    // If `revokedAgo` is missing, the server uses its own clock and never treats a time of use in the future as a
    // retry.
    if (ago === undefined || ago === null) continue;
    const maxSeconds = (performance.now() - started) / 1000;
    // The database may store whole seconds.
    const isRight = typeof ago === 'number' && ago >= -1 && ago <= maxSeconds + 1;
    const observation = `\`getRefreshToken()\` returns \`revokedAgo\` ${inspectValue(ago)}`;
    assert(
      isRight,
      `${observation} for a token that a process whose clock is ${how} used at most ${maxSeconds.toFixed(1)} seconds ago.`,
    );
  }
}
