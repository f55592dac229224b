import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';

import { toOAuthError } from '../../errors/index.js';
import type { CheckContext } from '../check-context.js';
import { assert, CheckFailure } from '../contract.js';
import type { TokenKind } from './token-kinds.js';

/** A value as a message shows it. */
export const inspectValue = (value: unknown) =>
  inspect(value, { depth: 1, breakLength: Infinity, maxStringLength: 80 });

/** What a method answers; a refusal by one of the OAuth errors is "there is none". */
export async function callModel(call: () => unknown, signature: string): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    if (toOAuthError(error).status < 500) return undefined;
    throw new CheckFailure(
      `${signature} throws ${inspectValue(error)}: for what it does not have it should return nothing`,
    );
  }
}

/** What a finder returns, of whatever kind. */
export type StoredRecord = Record<string, unknown>;

/** What the model finds by this value, if anything. */
export async function lookUp(
  trial: CheckContext,
  { findMethod: finder }: TokenKind,
  value: string,
): Promise<StoredRecord | undefined> {
  const found = await callModel(() => trial.model[finder]!(value), `\`${finder}(${inspectValue(value)})\``);
  // Whatever is falsy says that there is none.
  return (found || undefined) as StoredRecord | undefined;
}

/** What the model has just saved: it must find it. */
export async function findSaved(trial: CheckContext, kind: TokenKind, value: string): Promise<StoredRecord> {
  const found = await lookUp(trial, kind, value);
  assert(found, `\`${kind.findMethod}()\` does not find the ${kind.what} that was just saved`);
  return found;
}

/** Is this refused, by whatever error? */
export async function isRefused(attempt: Promise<unknown>): Promise<boolean> {
  return attempt.then(
    () => false,
    () => true,
  );
}

export const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** So many turns of the event loop later. */
export async function afterTurns<T>(turns: number, act: () => Promise<T>): Promise<T> {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  return act();
}
