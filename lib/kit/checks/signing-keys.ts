import type { KeyModel } from '../../jose/keys/key-model.js';
import { opaqueToken } from '../../tokens/opaque.js';
import { type Check, type CheckedMethod, assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { inspectValue } from './model-calls.js';
import { REPLACE_IF_SAME } from './remedies.js';

const feature = 'signing keys';
const needs: readonly CheckedMethod[] = ['getSigningKeys', 'replaceSigningKeys'];
const attack =
  'two processes sign by keys of which the others know nothing: APIs refuse good tokens, and a key that was removed, since somebody has got it, comes back.';

/** What a model must do for the keys that `keys()` leaves to it. */
export const SIGNING_KEY_CHECKS: readonly Check[] = [
  {
    name: 'replaces signing keys for whoever knows what they were',
    feature,
    needs,
    attack,
    remedy: REPLACE_IF_SAME,
    run: assertComparedBeforeReplacing,
  },
  {
    name: 'lets one of many win who replace signing keys at once',
    feature,
    needs,
    race: true,
    attack,
    remedy: REPLACE_IF_SAME,
    run: assertOneWinner,
  },
];

/** As long as some keys are, sealed. */
const text = () => Array.from({ length: 100 }, opaqueToken).join('');

async function assertComparedBeforeReplacing(trial: CheckContext): Promise<void> {
  await withKeys(trial, async (model, before) => {
    const [first, second] = [text(), text()];
    assert(
      await model.replaceSigningKeys(before, first),
      '`replaceSigningKeys()` replaces nothing for who knows what was kept',
    );
    await assertStoredKeys(model, first);
    for (const [old, which] of [
      [undefined, 'nothing'],
      [second, 'other text'],
      [first.slice(0, -1), 'a part of it'],
      [first.toUpperCase(), 'it in capitals'],
    ] as const) {
      assert(
        !(await model.replaceSigningKeys(old, second)),
        `\`replaceSigningKeys()\` takes ${which} for what is kept`,
      );
      await assertStoredKeys(model, first);
    }
    assert(await model.replaceSigningKeys(first, second), '`replaceSigningKeys()` replaces nothing a second time');
    await assertStoredKeys(model, second);
  });
}

async function assertStoredKeys(model: KeyModel, kept: string): Promise<void> {
  const found = await model.getSigningKeys();
  assert(found === kept, `\`getSigningKeys()\` returns ${inspectValue(found)} for ${inspectValue(kept)}`);
}

async function assertOneWinner(trial: CheckContext): Promise<void> {
  await withKeys(trial, async (model, before) => {
    const texts = Array.from({ length: trial.parallel }, text);
    const answers = await Promise.allSettled(texts.map(async (one) => model.replaceSigningKeys(before, one)));
    const winners = texts.filter(
      (_, at) => answers[at]!.status === 'fulfilled' && (answers[at] as { value: unknown }).value,
    );
    const of = `\`replaceSigningKeys()\` returned true to ${winners.length} of ${trial.parallel} callers at once`;
    assert(winners.length === 1, `${of}: exactly one may win`);
    await assertStoredKeys(model, winners[0]!);
  });
}

/** What was there before comes back: the model may be one that somebody goes on with. */
async function withKeys(
  trial: CheckContext,
  run: (model: KeyModel, before: string | undefined) => Promise<void>,
): Promise<void> {
  const model = trial.model as unknown as KeyModel;
  const before = (await model.getSigningKeys()) || undefined;
  try {
    await run(model, before);
  } finally {
    if (before !== undefined) await model.replaceSigningKeys((await model.getSigningKeys()) || undefined, before);
  }
}
