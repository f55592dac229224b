import { InvalidArgumentError } from '../errors/index.js';
import type { GrantFilter } from './storage.js';
import { verifyUserId } from './user-records.js';

/** Which grants a host wants to end: ids of users may be numbers. */
export type GrantFilterInput = Omit<GrantFilter, 'userId'> & { userId?: string | number };

const FIELDS: readonly string[] = ['grantId', 'userId', 'clientId', 'issuer'] satisfies (keyof GrantFilter)[];

/**
 * Reads which grants an application selects.
 *
 * @throws {InvalidArgumentError} If the filter is empty or a field is undefined, which would end the grants of others, or if the user id
 * is reserved for records of the store.
 */
export function parseGrantFilter(filter: GrantFilterInput): GrantFilter {
  const fields = Object.entries(filter).map(([name, value]) => [name, String(value ?? '')] as const);
  if (fields.length === 0 || !fields.every(([name, value]) => FIELDS.includes(name) && value)) {
    throw new InvalidArgumentError('Invalid argument: `userId`, `clientId` or `grantId` must have a value');
  }
  if (fields.every(([name]) => name === 'issuer')) {
    throw new InvalidArgumentError(
      'Invalid argument: beside `issuer` there must be a `userId`, `clientId` or `grantId`',
    );
  }
  const read: GrantFilter = Object.fromEntries(fields);
  verifyUserId(read.userId);
  return read;
}
