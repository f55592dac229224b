import { InvalidArgumentError } from '../../errors/index.js';
import type { GrantList, GrantSelection, GrantsModel, ListedGrant, Paging } from '../../model/grants.js';
import type { Awaitable, User } from '../../model/model.js';
import { hasCurrentPassword } from '../clients/password-mark.js';
import { parseGrantFilter } from '../contract/grant-filter.js';
import type { StoreContext } from '../clients/store-context.js';
import type { GrantFilter, GrantRow } from '../contract/storage.js';

/** Number of grants to read at a time. */
export const BATCH_SIZE = 500;

/** The part of a store that reads its grants page by page, by user and by client. */
export class GrantPages implements Pick<GrantsModel, 'pageGrants'> {
  constructor(private readonly context: Pick<StoreContext, 'storage' | 'users'>) {}

  /**
   * Returns a page of the active grants that have tokens. With `userId`, only grants of this user. With `clientId`,
   * only grants of this client.
   */
  async pageGrants({ after, limit, ...selection }: GrantSelection & Paging): Promise<GrantList> {
    const { items, ...more } = await this.read(
      { ...parseGrantFilter(selection), kinds: ['tokens'] },
      { after, limit },
      listedGrants,
    );
    return { grants: items, ...more };
  }

  /**
   * Reads grants and returns a page of the entries that are made of them. Grants from before the user's last change of
   * password are omitted.
   * @param entriesOf returns the entries of one grant
   */
  async read<T>(
    filter: GrantFilter,
    { after, limit = 100 }: Paging,
    entriesOf: (grant: GrantRow) => Awaitable<readonly T[]>,
  ): Promise<{ items: T[]; next?: string }> {
    if (!(Number.isInteger(limit) && limit > 0 && limit <= 1000)) {
      throw new InvalidArgumentError('Invalid argument: `limit` must be an integer from 1 to 1000');
    }
    const items: T[] = [];
    const users = new Map<string, Promise<User | undefined>>();
    for (let last: string | undefined = after; ;) {
      const page = await this.context.storage.pageGrants(filter, last, BATCH_SIZE);
      for (const { grant, cursor } of page.grants) {
        if (items.length >= limit) return { items, next: last! };
        if (await this.hasCurrentPassword(grant, users)) items.push(...(await entriesOf(grant)));
        last = cursor;
      }
      if (page.next === undefined) return { items };
      last = page.next;
    }
  }

  /** Returns whether the user still has the password that the user had when the grant was saved. */
  private async hasCurrentPassword(
    grant: GrantRow,
    usersById: Map<string, Promise<User | undefined>>,
  ): Promise<boolean> {
    const { userId } = grant;
    const { users } = this.context;
    if (!users.credentialOf || userId === null) return true;
    if (!usersById.has(userId)) {
      usersById.set(
        userId,
        Promise.resolve(users.findById(userId)).then((user) => user || undefined),
      );
    }
    const user = await usersById.get(userId);
    return user !== undefined && hasCurrentPassword(users, user, grant);
  }
}

/** Returns a list with the grant as operators see it. The list is empty if the grant has no tokens. */
function listedGrants(grant: GrantRow): ListedGrant[] {
  const { id, clientId, userId, issuer, scope, createdAt, lastUsedAt, expiresAt } = grant;
  if (lastUsedAt === null) return [];
  return [
    {
      id,
      clientId,
      ...(userId !== null && { userId }),
      ...(issuer !== null && { issuer }),
      ...(scope !== null && { scope }),
      createdAt: new Date(createdAt),
      lastUsedAt: new Date(lastUsedAt),
      expiresAt: new Date(expiresAt),
    },
  ];
}
