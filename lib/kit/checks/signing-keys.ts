import type { KeyModel } from '../../jose/keys/key-model.js';
import { opaqueToken } from '../../tokens/opaque.js';
import { type Check, type CheckedMethod, assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { inspectValue } from './model-calls.js';
import { REPLACE_IF_SAME } from './remedies.js';

const feature = 'signing keys';
const needs: readonly CheckedMethod[] = ['getSigningKeys', 'replaceSigningKeys'];
const attack =
  'Two processes sign with different keys: APIs reject tokens of one of them. Or a compromised key is removed, and a concurrent change restores it.';

/** The checks of models that store the signing keys of `keys()`. */
export const SIGNING_KEY_CHECKS: readonly Check[] = [
  {
    name: 'replaces signing keys only if the passed old text equals the stored one',
    feature,
    needs,
    attack,
    remedy: REPLACE_IF_SAME,
    run: assertComparedBeforeReplacing,
  },
  {
    name: 'replaces signing keys for only one of many concurrent callers',
    feature,
    needs,
    race: true,
    attack,
    remedy: REPLACE_IF_SAME,
    run: assertOneWinner,
  },
];

/** Returns a random text of about the length of encrypted signing keys. */
const text = () => Array.from({ length: 100 }, opaqueToken).join('');

async function assertComparedBeforeReplacing(context: CheckContext): Promise<void> {
  await withKeys(context, async (model, before) => {
    const [first, second] = [text(), text()];
    assert(
      await model.replaceSigningKeys(before, first),
      '`replaceSigningKeys()` returns false although the stored text is unchanged.',
    );
    await assertStoredKeys(model, first);
    for (const [old, which] of [
      [undefined, '`undefined`'],
      [second, 'another text'],
      [first.slice(0, -1), 'a prefix of the stored text'],
      [first.toUpperCase(), 'the stored text in upper case'],
    ] as const) {
      assert(
        !(await model.replaceSigningKeys(old, second)),
        `\`replaceSigningKeys()\` returns true although its argument \`old\` is ${which}. It must be exactly the stored text.`,
      );
      await assertStoredKeys(model, first);
    }
    assert(
      await model.replaceSigningKeys(first, second),
      '`replaceSigningKeys()` returns false for a second replacement, although its argument `old` is the stored text.',
    );
    await assertStoredKeys(model, second);
  });
}

async function assertStoredKeys(model: KeyModel, expected: string): Promise<void> {
  const stored = await model.getSigningKeys();
  assert(
    stored === expected,
    `\`getSigningKeys()\` returns ${inspectValue(stored)}. Saved was ${inspectValue(expected)}.`,
  );
}

async function assertOneWinner(context: CheckContext): Promise<void> {
  await withKeys(context, async (model, before) => {
    const texts = Array.from({ length: context.parallel }, text);
    const results = await Promise.allSettled(texts.map(async (one) => model.replaceSigningKeys(before, one)));
    const winners = texts.filter(
      (_, at) => results[at]!.status === 'fulfilled' && (results[at] as { value: unknown }).value,
    );
    const observation = `\`replaceSigningKeys()\` returned true to ${winners.length} of ${context.parallel} concurrent callers`;
    assert(winners.length === 1, `${observation}. It must return true to exactly one.`);
    await assertStoredKeys(model, winners[0]!);
  });
}

/**
 * Runs a check that replaces signing keys, and restores the previous keys afterwards, since the model may still be
 * used.
 */
async function withKeys(
  context: CheckContext,
  run: (model: KeyModel, before: string | undefined) => Promise<void>,
): Promise<void> {
  const model = context.model as unknown as KeyModel;
  const before = (await model.getSigningKeys()) || undefined;
  try {
    await run(model, before);
  } finally {
    if (before !== undefined) await model.replaceSigningKeys((await model.getSigningKeys()) || undefined, before);
  }
}
