import { sleep } from '../checks/model-calls.js';
import { assert } from '../contract.js';
import { DIFFICULT_TEXT } from './saving.js';
import { checksOf, type StorageCheck } from './storage-check.js';
import type { StorageContext } from './storage-context.js';

/** The checks of single-use values and of texts. */
export const SINGLE_VALUES: readonly StorageCheck[] = [
  ...checksOf('once', { 'remembers a value for its seconds and then forgets it': remembersValue }),
  ...checksOf('once', { 'returns true to one of many concurrent callers': acceptsOnce }, { race: true }),
  ...checksOf('readText', { 'returns the stored text exactly, or undefined': readsText }),
  ...checksOf('replaceText', { 'stores nothing if another text is stored': comparesText }),
  ...checksOf('replaceText', { 'returns true to one of many concurrent callers': replacesOnce }, { race: true }),
];

async function remembersValue(context: StorageContext): Promise<void> {
  const [long, short] = [context.id(), context.id()];
  const start = performance.now();
  for (const [digest, seconds] of [[long, 600] as const, [short, 1] as const]) {
    assert(await context.storage.once(digest, seconds), '`once()` returned false for a new value.');
  }
  const isAccepted = await context.other.once(short, 1);
  // On a busy machine, the second may have passed.
  const isOnTime = performance.now() - start < 1000;
  assert(!isAccepted || !isOnTime, '`once()` accepted a value again within its seconds.');
  await sleep(1200);
  assert(!(await context.other.once(long, 600)), '`once()` forgot a value after a second of its 600 seconds.');
  for (let wait = 0; wait < 20; wait += 1) {
    if (await context.other.once(short, 1)) return;
    await sleep(100);
  }
  assert(false, '`once()` still returns false 3 seconds after a value was remembered for one second.');
}

async function acceptsOnce(context: StorageContext): Promise<void> {
  const digest = context.id();
  await context.oneWinner('once()', (storage) => storage.once(digest, 600));
}

async function readsText(context: StorageContext): Promise<void> {
  const [name, longest] = [context.id(), `${context.id()}1234567`];
  assert(
    (await context.other.readText(name)) === undefined,
    '`readText()` must return undefined if nothing is stored.',
  );
  for (const text of [DIFFICULT_TEXT, 'short ']) {
    await context.storage.replaceText(name, await context.storage.readText(name), text);
    assert((await context.other.readText(name)) === text, '`readText()` returns another text than the stored one.');
  }
  await context.storage.replaceText(longest, undefined, 'text');
  assert((await context.other.readText(longest)) === 'text', 'A text with a name of 43 characters is not stored.');
}

async function comparesText(context: StorageContext): Promise<void> {
  const name = context.id();
  const replace = (old: string | undefined, text: string) => context.storage.replaceText(name, old, text);
  assert(!(await replace('a', 'b')), '`replaceText()` replaced a text that was not stored.');
  assert(await replace(undefined, 'a'), '`replaceText()` returned false for a new text.');
  for (const old of [undefined, 'A', 'a ', 'b']) {
    assert(!(await replace(old, 'c')), `\`replaceText()\` replaced "a" for a caller that has read "${old}".`);
  }
  assert((await context.other.readText(name)) === 'a', '`replaceText()` returned false, but replaced the text.');
  assert(await replace('a', 'b'), '`replaceText()` returned false for an unchanged text.');
}

async function replacesOnce(context: StorageContext): Promise<void> {
  const name = context.id();
  for (const old of [undefined, 'first']) {
    const winner = await context.oneWinner('replaceText()', (storage, index) =>
      storage.replaceText(name, old, `${old} ${index}`),
    );
    const text = await context.other.readText(name);
    assert(text === `${old} ${winner}`, '`replaceText()` stored the text of a caller that got false.');
    await context.storage.replaceText(name, text, 'first');
  }
}
