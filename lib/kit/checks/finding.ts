import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';

import { toOAuthError } from '../../errors/index.js';
import type { Trial } from '../trial.js';
import { demand, Finding } from '../contract.js';
import type { Kind } from './kinds.js';

/** A value as a message shows it. */
export const shown = (value: unknown) => inspect(value, { depth: 1, breakLength: Infinity, maxStringLength: 80 });

/** What a method answers; a refusal by one of the OAuth errors is "there is none". */
export async function answerOf(call: () => unknown, signature: string): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    if (toOAuthError(error).status < 500) return undefined;
    throw new Finding(`${signature} throws ${shown(error)}: for what it does not have it should return nothing`);
  }
}

/** What a finder returns, of whatever kind. */
export type Found = Record<string, unknown>;

/** What the model finds by this value, if anything. */
export async function lookUp(trial: Trial, { finder }: Kind, value: string): Promise<Found | undefined> {
  const found = await answerOf(() => trial.model[finder]!(value), `\`${finder}(${shown(value)})\``);
  // Whatever is falsy says that there is none.
  return (found || undefined) as Found | undefined;
}

/** What the model has just saved: it must find it. */
export async function find(trial: Trial, kind: Kind, value: string): Promise<Found> {
  const found = await lookUp(trial, kind, value);
  demand(found, `\`${kind.finder}()\` does not find the ${kind.what} that was just saved`);
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
export async function later<T>(turns: number, act: () => Promise<T>): Promise<T> {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  return act();
}
