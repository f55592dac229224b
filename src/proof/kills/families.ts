import type { IssuedCode } from '../../../lib/internal.js';
import type { Random } from '../../testing/attack-lab/random.js';
import type { IssuedTokens, StoreOutcome } from './messages.js';
import type { StoreProcess } from './store-process.js';

/** One authorization as its client knows it. */
export interface Family {
  readonly code: IssuedCode;
  /** The tokens that the client received, in this order. */
  readonly tokens: IssuedTokens[];
  /** The number of responses with tokens for the code. */
  redemptions: number;
  /**
   * `idle`: the outcomes of all requests are known. `redeeming`, `refreshing`, `ending`: the outcome of the last
   * request is unknown. `ended`: the server has detected a replay. `refused`: it has refused an unused code or token.
   */
  state: 'idle' | 'redeeming' | 'refreshing' | 'ending' | 'ended' | 'refused';
}

/**
 * A user whose client redeems codes and refreshes tokens until the process is killed. Some codes are sent to two
 * processes at the same time, and some refresh tokens are replayed.
 * @param families The list to which the authorizations of the user are added.
 */
export async function useStore(
  victim: StoreProcess,
  other: StoreProcess,
  random: Random,
  families: Family[],
): Promise<void> {
  while (victim.isRunning) {
    const authorized = await victim.run('authorize', undefined);
    if (authorized.status === 'refused') return;
    if (authorized.status === 'unknown') continue;
    const family: Family = { code: authorized.result, tokens: [], redemptions: 0, state: 'redeeming' };
    families.push(family);
    const isRaced = random.below(4) === 0;
    const refreshes = random.below(4);
    if (isRaced) await redeemTwice(family, victim, other);
    else if (receive(family, await victim.run('redeem', family.code))) {
      family.redemptions = 1;
      await refresh(family, victim, refreshes);
    }
  }
}

async function redeemTwice(family: Family, victim: StoreProcess, other: StoreProcess): Promise<void> {
  const outcomes = await Promise.all([victim, other].map((one) => one.run('redeem', family.code)));
  for (const outcome of outcomes) receive(family, outcome);
  family.redemptions = family.tokens.length;
  family.state = outcomes.some(({ status }) => status === 'unknown') ? 'redeeming' : 'ended';
}

async function refresh(family: Family, victim: StoreProcess, refreshes: number): Promise<void> {
  for (let count = 0; count < refreshes; count += 1) {
    family.state = 'refreshing';
    if (!receive(family, await victim.run('refresh', family.tokens.at(-1)!.refresh))) return;
  }
  if (family.tokens.length < 3) return;
  // A stolen token is replayed, so that the server revokes the family.
  family.state = 'ending';
  const { status } = await victim.run('refresh', family.tokens[0]!.refresh);
  if (status === 'refused') family.state = 'ended';
}

/** Adds the tokens of a response to a family. Returns whether there are any. */
function receive(family: Family, outcome: StoreOutcome<IssuedTokens>): boolean {
  if (outcome.status === 'refused') family.state = 'refused';
  if (outcome.status !== 'done') return false;
  family.tokens.push(outcome.result);
  family.state = 'idle';
  return true;
}
