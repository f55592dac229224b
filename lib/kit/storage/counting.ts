import type { Count } from '../../model/counts.js';
import { sleep } from '../checks/model-calls.js';
import { assert } from '../contract.js';
import { checksOf, type StorageCheck } from './storage-check.js';
import { LIFETIME, type StorageContext } from './storage-context.js';

/** The checks of counters. */
export const COUNTING: readonly StorageCheck[] = [
  ...checksOf('count', {
    'adds numbers, and reads with 0 without opening a window': addsNumbers,
    'takes back with a negative number, but never below 0': takesBack,
    'opens a window with the first addition, which later ones do not extend': keepsWindow,
    'opens a new window after the end of the last one': opensNewWindow,
    'keeps counters apart from each other and from other values': keepsApart,
  }),
  ...checksOf(
    'count',
    {
      'returns another count to each of many concurrent callers': countsEach,
      'opens one window for many concurrent callers': opensOneWindow,
    },
    { race: true },
  ),
];

/** Seconds of a window that ends after a check. */
const LONG = LIFETIME / 1000;

const isNone = (state: Count) => state.count === 0 && state.expiresIn === 0;

const show = ({ count, expiresIn }: Count) => `{ count: ${count}, expiresIn: ${expiresIn} }`;

async function addsNumbers(context: StorageContext): Promise<void> {
  const digest = context.id();
  for (const by of [0, -1]) {
    const state = await context.storage.count(digest, LONG, by);
    assert(
      isNone(state),
      `\`count()\` of an unknown counter returned ${show(state)} for \`by\` ${by}. Both must be 0.`,
    );
  }
  let sum = 0;
  for (const by of [undefined, 3, 0, 1]) {
    const storage = sum % 2 === 0 ? context.storage : context.other;
    const state = await storage.count(digest, LONG, by);
    sum += by ?? 1;
    assert(state.count === sum, `\`count()\` returned ${state.count} for a counter with the sum ${sum}.`);
    assert(
      context.isClose(state.expiresIn, LIFETIME) && state.expiresIn <= LIFETIME,
      `\`count()\` returned \`expiresIn\` ${state.expiresIn} for a window of ${LONG} seconds.`,
    );
  }
}

async function takesBack(context: StorageContext): Promise<void> {
  const digest = context.id();
  await context.storage.count(digest, LONG, 3);
  for (const [by, expected] of [[-1, 2] as const, [-5, 0] as const, [-1, 0] as const, [2, 2] as const]) {
    const state = await context.other.count(digest, LONG, by);
    assert(state.count === expected, `\`count()\` with \`by\` ${by} returned ${state.count} instead of ${expected}.`);
    assert(
      context.isClose(state.expiresIn, LIFETIME),
      `\`count()\` with \`by\` ${by} returned ${show(state)} in an open window.`,
    );
  }
}

async function keepsWindow(context: StorageContext): Promise<void> {
  const digest = context.id();
  const first = await context.storage.count(digest, LONG);
  await sleep(500);
  for (const [by, seconds] of [[1, LONG] as const, [-1, LONG] as const, [1, 2 * LONG] as const, [0, LONG] as const]) {
    const later = await context.other.count(digest, seconds, by);
    assert(
      later.expiresIn < first.expiresIn - 250,
      `\`count()\` with \`by\` ${by} extended the window: ${later.expiresIn} ms were left half a second after ${first.expiresIn} ms.`,
    );
  }
}

async function opensNewWindow(context: StorageContext): Promise<void> {
  const digest = context.id();
  await context.storage.count(digest, 1, 5);
  await untilClosed(context, digest);
  const taken = await context.other.count(digest, LONG, -1);
  assert(isNone(taken), `\`count()\` took back from a window that had ended: ${show(taken)}.`);
  const state = await context.other.count(digest, LONG, 2);
  assert(state.count === 2, `\`count()\` returned ${state.count} instead of 2 for the first addition of a new window.`);
  assert(
    context.isClose(state.expiresIn, LIFETIME),
    `\`count()\` returned ${show(state)} for a new window of ${LONG} seconds.`,
  );
}

/** Waits until a window of one second has ended. */
async function untilClosed(context: StorageContext, digest: string): Promise<void> {
  for (let wait = 0; wait < 30; wait += 1) {
    await sleep(100);
    if ((await context.other.count(digest, 1, 0)).count === 0) return;
  }
  assert(false, '`count()` still returns the old count 3 seconds after a window of one second began.');
}

async function keepsApart(context: StorageContext): Promise<void> {
  const digest = `a${context.id()}`;
  for (const other of [digest.toUpperCase(), `${digest} `, digest.slice(0, -1)])
    await context.storage.count(other, LONG);
  const first = await context.other.count(digest, LONG);
  assert(first.count === 1, `\`count()\` returned ${first.count} for a new counter: it counted another digest.`);
  assert(await context.other.once(digest, LONG), '`once()` returned false for a value whose digest has a counter.');
  assert(
    (await context.other.readText(digest)) === undefined,
    '`readText()` returned a text for a name that only a counter has.',
  );
  await context.saved(undefined, { digest });
  const second = await context.other.count(digest, LONG);
  assert(second.count === 2, `\`count()\` returned ${second.count} instead of 2 after a row had the same digest.`);
}

async function countsEach(context: StorageContext): Promise<void> {
  const digest = context.id();
  const added = await context.race((storage) => storage.count(digest, LONG));
  assertEach(added);
  const taken = await context.race((storage) => storage.count(digest, LONG, -1));
  assertEach(taken.map(({ count }) => ({ count: count + 1 })));
}

async function opensOneWindow(context: StorageContext): Promise<void> {
  const digest = context.id();
  await context.storage.count(digest, 1, 7);
  await untilClosed(context, digest);
  assertEach(await context.race((storage) => storage.count(digest, LONG)));
}

/** Asserts that each count from 1 on was returned to one caller. */
function assertEach(states: readonly Pick<Count, 'count'>[]): void {
  const counts = states.map(({ count }) => count).toSorted((a, b) => a - b);
  const wrong = counts.findIndex((count, index) => count !== index + 1);
  assert(
    wrong < 0,
    `\`count()\` returned ${counts[wrong]} to ${counts.filter((count) => count === counts[wrong]).length} of ` +
      `${counts.length} concurrent callers. Each count must be returned to exactly one.`,
  );
}
