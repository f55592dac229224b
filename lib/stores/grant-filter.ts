import { InvalidArgumentError } from '../errors/index.js';
import type { GrantFilter } from './storage.js';
import { verifyUserId } from './user-records.js';

/** The filter of grants as an application passes it: the ID of a user may be a number. */
export type GrantFilterInput = Omit<GrantFilter, 'userId'> & { userId?: string | number };

const FIELDS: readonly string[] = ['grantId', 'userId', 'clientId', 'issuer'] satisfies (keyof GrantFilter)[];

/**
 * Validates a filter of grants and converts the ID of the user to a string.
 * @throws {InvalidArgumentError} If the filter is empty or a field is undefined, which would revoke the grants of
 * others, or if the user ID is reserved for records of the store.
 */
export function parseGrantFilter(filter: GrantFilterInput): GrantFilter {
  const fields = Object.entries(filter).map(([name, value]) => [name, String(value ?? '')] as const);
  if (fields.length === 0 || !fields.every(([name, value]) => FIELDS.includes(name) && value)) {
    throw new InvalidArgumentError('Invalid argument: `userId`, `clientId` or `grantId` must have a value');
  }
  if (fields.every(([name]) => name === 'issuer')) {
    throw new InvalidArgumentError('Invalid argument: `issuer` requires a `userId`, `clientId` or `grantId`');
  }
  const read: GrantFilter = Object.fromEntries(fields);
  verifyUserId(read.userId);
  return read;
}
