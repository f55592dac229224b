import { InvalidArgumentError } from '../../errors/index.js';
import type { GrantFilter } from './storage.js';

/** A filter of grants without the kinds. The caller knows the kinds that it touches. */
export type GrantSelector = Omit<GrantFilter, 'kinds'>;

/** The filter of grants as an application passes it. `userId` may be a number. */
export type GrantFilterInput = Omit<GrantSelector, 'userId'> & { userId?: string | number };

const FIELDS: readonly string[] = ['grantId', 'userId', 'clientId', 'issuer'] satisfies (keyof GrantSelector)[];

/**
 * Validates a filter of grants and converts `userId` to a string.
 * @throws {InvalidArgumentError} If the filter is empty or a field is `undefined`, which would revoke the grants of
 * others.
 */
export function parseGrantFilter(filter: GrantFilterInput): GrantSelector {
  const fields = Object.entries(filter).map(([name, value]) => [name, String(value ?? '')] as const);
  if (fields.length === 0 || !fields.every(([name, value]) => FIELDS.includes(name) && value)) {
    throw new InvalidArgumentError(
      'Invalid argument: set `userId`, `clientId` or `grantId`. None of those that you pass may be empty or `undefined`',
    );
  }
  if (fields.every(([name]) => name === 'issuer')) {
    throw new InvalidArgumentError('Invalid argument: besides `issuer`, set `userId`, `clientId` or `grantId`');
  }
  return Object.fromEntries(fields);
}
