import type { CheckContext, IssuedCode } from '../check-context.js';
import { withClockOffset } from '../clock.js';
import { type Check, assert } from '../contract.js';
import { findSaved, inTime, isRefused, lookUp, inspectValue, sleep } from './model-calls.js';
import { AUTHORIZATION_CODE } from './token-kinds.js';

const needs = AUTHORIZATION_CODE.needs.concat('getAccessToken', 'revokeGrant');
const feature = 'token families';

/**
 * The checks that the model lets the server verify a request with a used code: only a valid one is a replay. OAuth
 * 2.1 §7.5.3
 */
export const USED_CODE_CHECKS: readonly Check[] = [
  {
    name: 'returns a used authorization code with its expiry, redirect URI and PKCE challenge unchanged',
    feature,
    needs,
    attack:
      'The server cannot verify requests with a used code. Either anyone who finds the code in a log can sign the user out, or a replay is not detected.',
    remedy:
      'Mark the row as used and change nothing else. `getAuthorizationCode()` returns `expiresAt`, `redirectUri`, `codeChallenge` and `codeChallengeMethod` as before, and `revokedAt`.',
    run: assertUsedCodeUnchanged,
  },
  {
    name: 'keeps the family valid when a used authorization code arrives without its code verifier or after its expiry',
    feature,
    needs,
    attack: 'An attacker who found an old code in a log, a browser history or a Referer header signs the user out.',
    remedy:
      'Do not revoke anything in `revokeAuthorizationCode()` and `getAuthorizationCode()`: the server calls `revokeGrant()` when it detects a replay. Do not change `expiresAt` of a used code.',
    run: assertOnlyValidReplayRevokes,
  },
];

async function assertUsedCodeUnchanged(context: CheckContext): Promise<void> {
  const { sent, held } = await context.saveCode({}, true);
  const live = await findSaved(context, AUTHORIZATION_CODE, held.code);
  await AUTHORIZATION_CODE.consume(context.model, { ...live }, held.code);
  const used = await lookUp(context, AUTHORIZATION_CODE, held.code);
  assert(
    used,
    '`getAuthorizationCode()` returns nothing for a used code. It must return the used code until it expires.',
  );
  for (const field of ['redirectUri', 'codeChallenge', 'codeChallengeMethod'] as const) {
    const isSame = (used[field] || undefined) === sent[field];
    const observation = `\`getAuthorizationCode()\` returns \`${field}\` ${inspectValue(used[field])}`;
    assert(isSame, `${observation} for a used code. Saved was ${inspectValue(sent[field])}.`);
  }
  const { expiresAt } = used;
  const observation = `\`getAuthorizationCode()\` returns \`expiresAt\` ${inspectValue(expiresAt)} for a used code`;
  assert(context.isTimeSaved(expiresAt, sent.expiresAt), `${observation}. Saved was ${inspectValue(sent.expiresAt)}.`);
}

async function assertOnlyValidReplayRevokes(context: CheckContext): Promise<void> {
  await context.clientFor('authorization_code');
  const { held, token } = await redeemed(context);
  const unproven = {
    'without its code verifier': undefined,
    'with a wrong code verifier': context.newPkcePair().verifier,
  };
  for (const [how, verifier] of Object.entries(unproven)) {
    assert(await isRefused(context.redeem({ ...held, verifier })), `The server accepts a used code ${how}.`);
    assert(
      await context.acceptsAccessToken(token),
      `The family was revoked because a used code was sent ${how}. It must be revoked only if the request is otherwise valid.`,
    );
  }
  const survives = (await survivesByOurClock(context)) || (await survivesByClockOfDatabase(context));
  assert(
    survives,
    'The family was revoked because a used code was sent after its expiry. An expired code must not revoke anything.',
  );
  assert(
    await isRefused(context.redeem(held)),
    'The server accepts a used code that is sent again with its code verifier.',
  );
  assert(
    !(await context.acceptsAccessToken(token)),
    'The family was not revoked when a used code was sent again with its code verifier. This is a replay.',
  );
}

/** Redeems a code. Returns the code and the access token that was issued for it. */
async function redeemed(context: CheckContext, more?: object): Promise<{ held: IssuedCode; token: string }> {
  const { held } = await context.saveCode(more, true);
  const { access_token: token } = await context.redeem(held);
  assert(
    await context.acceptsAccessToken(token),
    'The server does not accept the access token even before the replay that this check sends.',
  );
  return { held, token };
}

/** Milliseconds that a replay is sent after the expiry of the code. The database may store whole seconds. */
const LATE = 1100;

/** Whether a token family stays valid when its code is replayed after its expiry, by the clock of this process. */
async function survivesByOurClock(context: CheckContext): Promise<boolean> {
  const lifetime = 600_000;
  const issued = await redeemed(context, { expiresAt: new Date(Date.now() + lifetime) });
  return survivesReplay(context, issued, (replay) => withClockOffset(lifetime + LATE, replay));
}

/**
 * Whether a token family stays valid when its code is replayed after its expiry, by the clock of the database. Waits
 * until the code has expired.
 */
async function survivesByClockOfDatabase(context: CheckContext): Promise<boolean> {
  const { lifetime, ...issued } = await inTime(2000, async (milliseconds) => ({
    lifetime: milliseconds,
    ...(await redeemed(context, { expiresAt: new Date(Date.now() + milliseconds) })),
  }));
  await sleep(lifetime + LATE);
  return survivesReplay(context, issued, (replay) => replay());
}

/** Sends a used code after its expiry. Returns whether its token family is still valid. */
async function survivesReplay(
  context: CheckContext,
  { held, token }: Awaited<ReturnType<typeof redeemed>>,
  send: (replay: () => Promise<boolean>) => Promise<boolean>,
): Promise<boolean> {
  const refused = await send(() => isRefused(context.redeem(held)));
  assert(refused, 'The server accepts a used code after its expiry.');
  return context.acceptsAccessToken(token);
}
