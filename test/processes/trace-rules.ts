/** A step of a process that uses the vault. `at` is in nanoseconds. */
export type Step = { readonly process: number; readonly at: number } & (
  | { readonly step: 'find'; readonly data: string; readonly expiresIn: number }
  | { readonly step: 'write'; readonly write: number; readonly from: string; readonly to: string }
  | { readonly step: 'written'; readonly write: number; readonly isReplaced: boolean }
  | { readonly step: 'call'; readonly token: string }
  | { readonly step: 'answered'; readonly token: string; readonly status: number }
);

type StepOf<Name extends Step['step']> = Extract<Step, { step: Name }>;

/** The row of the model, as its text contains it. The number of the refresh token is that of the changed versions. */
interface Row {
  readonly sub: string;
  readonly version: string;
  readonly lease?: { readonly owner: string; readonly until: number };
  readonly isInDoubt?: boolean;
  readonly reconnect?: string;
}

/** A change of the row. `token` is the number of the refresh token before it. */
interface Change extends StepOf<'write'> {
  readonly seen: Row;
  readonly next: Row;
  readonly token: number;
  readonly kind: 'lease' | 'save' | 'end' | 'release';
}

/** `LEASE` and `REQUIRED` of the model, in milliseconds, as `src/upstreams/vault/refresher.ts` has them. */
const LEASE = 15_000;
const REQUIRED = 12_000;

const numberOf = ({ token }: { readonly token: string }) => Number(token.split(':')[1]);

const rowOf = (data: string) => JSON.parse(data) as Row;

/** Returns the steps of each user in the order of time. */
export function stepsByUser(steps: readonly Step[]): Map<string, Step[]> {
  const users = new Map<string, Step[]>();
  const written = new Map<string, string>();
  for (const step of steps.toSorted((a, b) => a.at - b.at)) {
    const key = 'write' in step ? `${step.process} ${step.write}` : '';
    if (step.step === 'write') written.set(key, rowOf(step.from).sub);
    const user =
      'token' in step ? step.token.split(':')[0]! : step.step === 'find' ? rowOf(step.data).sub : written.get(key)!;
    const own = users.get(user) ?? [];
    own.push(step);
    users.set(user, own);
  }
  return users;
}

/**
 * Judges the steps of all processes for one user by the transitions and assertions of
 * `docs/decisions/models/upstream-token.pml`.
 * @param used the number of refresh tokens that the provider has rotated: `newest` of the model
 * @returns the rule that is broken first, or `undefined`
 */
export function findBrokenRule(steps: readonly Step[], used: number): string | undefined {
  try {
    const changes = historyOf(steps);
    for (const change of changes) judgeChange(change, steps);
    judgeCalls(changes, steps);
    judgeEnd(changes, used);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function follow(isTrue: unknown, rule: string): asserts isTrue {
  if (!isTrue) throw new Error(rule);
}

/** Returns the changes of the row in their order: `replace()` of the model. */
function historyOf(steps: readonly Step[]): Change[] {
  const writes = steps.filter((step) => step.step === 'write');
  const read = new Set(steps.flatMap((step) => (step.step === 'find' ? [step.data] : [])));
  const resultOf = ({ process, write }: StepOf<'write'>) =>
    steps.find((step) => step.step === 'written' && step.process === process && step.write === write);
  const isReplaced = (write: StepOf<'write'>) => (resultOf(write) as StepOf<'written'> | undefined)?.isReplaced;
  const isUsed = ({ to }: StepOf<'write'>) => read.has(to) || writes.some(({ from }) => from === to);
  const made = writes.filter((write) => isReplaced(write) ?? isUsed(write));
  const changes: Change[] = [];
  let row = made.find(({ from }) => !made.some(({ to }) => to === from))?.from;
  let token = 0;
  for (const versions = new Set<string>(); row !== undefined;) {
    const next = made.filter(({ from }) => from === row);
    follow(next.length <= 1, 'two processes replaced the same row');
    if (next[0]) changes.push({ ...changeOf(next[0]), token });
    if (changes.at(-1)?.kind === 'save') token += next.length;
    row = next[0]?.to;
    follow(row === undefined || !versions.has(row), 'a row had the same text twice');
    if (row !== undefined) versions.add(row);
  }
  follow(changes.length === made.length, 'a row was replaced that was not the one that was read');
  const known = new Set(changes.flatMap(({ from, to }) => [from, to]));
  follow(known.size === 0 || [...read].every((data) => known.has(data)), 'a row was read that nobody wrote');
  return changes;
}

function changeOf(write: StepOf<'write'>): Omit<Change, 'token'> {
  const [seen, next] = [rowOf(write.from), rowOf(write.to)];
  const isSame = seen.version === next.version;
  const kind = !isSame ? 'save' : next.lease ? 'lease' : next.reconnect ? 'end' : 'release';
  return { ...write, seen, next, kind };
}

function judgeChange({ kind, seen, next, token, process, at }: Change, steps: readonly Step[]): void {
  const answer = steps.findLast(
    (step) => step.step === 'answered' && step.process === process && step.at < at && numberOf(step) === token,
  ) as StepOf<'answered'> | undefined;
  follow(kind === 'save' || !seen.reconnect, 'a row was changed after the user had to connect again');
  if (kind === 'lease') {
    follow(next.lease!.owner !== seen.lease?.owner, 'a lease has no owner of its own');
    const isExpired = !seen.lease || next.lease!.until + LEASE <= seen.lease.until;
    follow(isExpired, 'a lease was taken before the previous one had expired');
    follow(Boolean(next.isInDoubt) === Boolean(seen.isInDoubt || seen.lease), 'the row does not show the doubt');
    return;
  }
  follow(next.lease === undefined, 'a change kept the lease');
  if (kind === 'save') {
    follow(answer?.status === 200, 'tokens were stored without a response');
    follow(!next.isInDoubt && !next.reconnect, 'new tokens are in doubt');
    return;
  }
  follow(seen.lease && isLeaseOf(process, seen, steps), 'a process without the lease ended it');
  if (kind === 'release') return follow(next.isInDoubt, 'a request without a response left no doubt');
  follow(answer?.status === 400, 'the tokens were given up without a refusal');
  follow(seen.isInDoubt && next.reconnect === 'lost', 'a token was refused that nobody had sent before');
}

/** Whether a process has taken the lease of a row. */
const isLeaseOf = (process: number, { lease }: Row, steps: readonly Step[]) =>
  steps.some(
    (step) => step.step === 'write' && step.process === process && rowOf(step.to).lease?.owner === lease?.owner,
  );

/** Judges the requests to the provider, in the order of the leases under which they were sent. */
function judgeCalls(changes: readonly Change[], steps: readonly Step[]): void {
  const leases = changes.filter(({ kind }) => kind === 'lease');
  const received = new Map<number, number>();
  const calls = steps.filter((step) => step.step === 'call');
  const allowed = calls.map((call) => {
    const before = steps.filter(({ process, at }) => process === call.process && at < call.at);
    const lease = leases.findLast(({ process, at }) => process === call.process && at < call.at);
    const isOwn = (step: Step) => step.step === 'find' && rowOf(step.data).lease?.owner === lease?.next.lease!.owner;
    const read = before.findLast(isOwn) as StepOf<'find'> | undefined;
    follow(lease && read, 'a process called the provider without the lease');
    follow(read.expiresIn - lease.next.lease!.until > REQUIRED, 'the lease was too short for the request');
    follow(numberOf(call) === lease.token, 'another token than that of the row was sent');
    return { call, lease };
  });
  for (const lease of leases) {
    const own = allowed.filter((one) => one.lease === lease);
    follow(own.length <= 1, 'a lease was used twice');
    if (own.length === 0) continue;
    const before = received.get(lease.token) ?? 0;
    follow(before === 0 || lease.next.isInDoubt, 'a token was sent twice without a doubt');
    received.set(lease.token, before + 1);
  }
  for (const { call } of allowed) {
    const answer = steps.find(
      ({ step, process, at }) => step === 'answered' && process === call.process && at > call.at,
    );
    // A killed process does not wait.
    const isAlone = !answer || calls.every(({ at }) => at <= call.at || at >= answer.at);
    follow(isAlone, 'two processes called the provider at the same time');
  }
}

/** `IS_VISIBLE` of the model: the token of the row can be used, or the row says why it may not be. */
function judgeEnd(changes: readonly Change[], used: number): void {
  const last = changes.at(-1);
  const token = last ? last.token + (last.kind === 'save' ? 1 : 0) : 0;
  const { lease, isInDoubt, reconnect } = last?.next ?? {};
  follow(token === used || lease || isInDoubt || reconnect, 'a token was lost without a trace');
}
