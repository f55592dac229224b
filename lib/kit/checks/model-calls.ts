import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';

import { toOAuthError } from '../../errors/index.js';
import type { CheckContext } from '../check-context.js';
import { assert, CheckFailure } from '../contract.js';
import type { TokenKind } from './token-kinds.js';

/** Returns a value as text for a message, shortened. */
export const inspectValue = (value: unknown) =>
  inspect(value, { depth: 1, breakLength: Infinity, maxStringLength: 80 });

/**
 * Calls a method of the model and returns its result. Returns `undefined` if the method throws an `OAuthError` with a
 * status below 500, which means "not found".
 * @throws {CheckFailure} If the method throws any other error.
 */
export async function callModel(call: () => unknown, signature: string): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    if (toOAuthError(error).status < 500) return undefined;
    throw new CheckFailure(
      `${signature} throws ${inspectValue(error)}. If there is no such record, it must return nothing.`,
      { cause: error },
    );
  }
}

/** A code or token as a find method of the model returns it. */
export type StoredRecord = Record<string, unknown>;

/** Returns the code or token that the model finds by its value, or `undefined` if it finds none. */
export async function lookUp(
  context: CheckContext,
  { findMethod }: TokenKind,
  value: string,
): Promise<StoredRecord | undefined> {
  const result = await callModel(() => context.model[findMethod]!(value), `\`${findMethod}(${inspectValue(value)})\``);
  // Every falsy result means that the model found nothing.
  return (result || undefined) as StoredRecord | undefined;
}

/**
 * Returns a code or token that was just saved.
 * @throws {CheckFailure} If the model does not find it.
 */
export async function findSaved(context: CheckContext, kind: TokenKind, value: string): Promise<StoredRecord> {
  const stored = await lookUp(context, kind, value);
  assert(stored, `\`${kind.findMethod}()\` does not find the ${kind.token} that was just saved.`);
  return stored;
}

/** Whether an attempt is rejected, with any error. */
export async function isRefused(attempt: Promise<unknown>): Promise<boolean> {
  return attempt.then(
    () => false,
    () => true,
  );
}

/** Milliseconds up to which `inTime()` extends a lifetime. */
const LONGEST = 60_000;

/**
 * Runs `act` with a record that expires after `lifetime` milliseconds. On a slow machine the record may expire before
 * `act` has ended. If `act` then fails, runs it again with a longer lifetime.
 */
export async function inTime<T>(lifetime: number, act: (lifetime: number) => Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await act(lifetime);
  } catch (error) {
    if (performance.now() - started < lifetime || lifetime > LONGEST) throw error;
    return inTime(lifetime * 4, act);
  }
}

export const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Runs a function after the event loop has turned a number of times. */
export async function afterTurns<T>(turns: number, act: () => Promise<T>): Promise<T> {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  return act();
}
