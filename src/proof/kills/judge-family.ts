import type { Family } from './families.js';
import type { StoreOperations, StoreOutcome } from './messages.js';
import type { StoreProcess } from './store-process.js';

/** The requirements on a store whose processes are killed, by the names of their checks. */
export const REQUIREMENTS = {
  codes: 'accepts no authorization code twice, although processes are killed',
  refreshTokens: 'accepts no refresh token twice, although processes are killed',
  losses: 'loses no token that a client has received, although processes are killed',
  ends: 'accepts no token of a revoked grant, although processes are killed',
} as const;

/** Records that the store does not meet a requirement. */
export type Report = (requirement: keyof typeof REQUIREMENTS, observation: string) => void;

/**
 * Verifies one authorization after all kills. It redeems the code and refresh tokens of the client again, so it must
 * run last.
 * @param isCodeFirst Whether the code is replayed before the refresh tokens.
 * @param hasFamilies Whether the model can revoke a grant with all its tokens.
 */
export async function judgeFamily(
  process: StoreProcess,
  family: Family,
  isCodeFirst: boolean,
  hasFamilies: boolean,
  report: Report,
): Promise<void> {
  const { code, tokens } = family;
  const isDone = async <K extends keyof StoreOperations>(operation: K, argument: StoreOperations[K]['argument']) =>
    (await settled(() => process.run(operation, argument))).status === 'done';
  if (family.state === 'refused') report('losses', 'The server refused a code or refresh token that was not used.');
  if (family.state === 'idle') {
    for (const { access } of tokens) {
      if (!(await isDone('call', access))) report('losses', 'An access token that a client received is not accepted.');
    }
    if (!(await isDone('refresh', tokens.at(-1)!.refresh)))
      report('losses', 'The last refresh token that a client received is not accepted.');
  } else if (family.state === 'refreshing') {
    // The killed process may have used the token or not. At most one more request may succeed.
    const attempts = [await isDone('refresh', tokens.at(-1)!.refresh), await isDone('refresh', tokens.at(-1)!.refresh)];
    if (attempts[1]) report('refreshTokens', 'A refresh token whose process was killed was accepted after that.');
  } else if (family.state === 'redeeming' && (await isDone('redeem', code))) family.redemptions += 1;
  const used = family.state === 'idle' ? tokens : tokens.slice(0, -1);
  const replayTokens = async () => {
    for (const { refresh } of used) {
      if (await isDone('refresh', refresh)) report('refreshTokens', 'A used refresh token was accepted again.');
    }
  };
  // The first replay ends the grant, so that all later ones are refused.
  if (!isCodeFirst) await replayTokens();
  if (await isDone('redeem', code)) family.redemptions += 1;
  if (family.redemptions > 1) report('codes', `A code led to tokens ${family.redemptions} times.`);
  if (isCodeFirst) await replayTokens();
  for (const { access, refresh } of hasFamilies ? tokens : []) {
    if (await isDone('call', access)) report('ends', 'An access token of a revoked grant was accepted.');
    if (await isDone('refresh', refresh)) report('ends', 'A refresh token of a revoked grant was accepted.');
  }
}

/** Repeats a request until its outcome is known, a few times at most. */
async function settled<T>(run: () => Promise<StoreOutcome<T>>): Promise<StoreOutcome<T>> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await run();
    if (outcome.status !== 'unknown') return outcome;
    if (attempt === 5) throw new Error(`The store did not respond: ${outcome.reason}`);
  }
}
