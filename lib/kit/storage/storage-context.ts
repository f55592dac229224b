import { hash, randomUUID } from 'node:crypto';

import { newGrant } from '../../stores/contract/new-grant.js';
import { setRevocationTimes } from '../../stores/contract/not-before.js';
import type { StoredClient } from '../../stores/contract/ports.js';
import type { ClientStorage } from '../../stores/contract/client-storage.js';
import type { GrantFilter, GrantPage, GrantRow, Row, RowKey, StoredRow } from '../../stores/contract/storage.js';
import { sleep } from '../checks/model-calls.js';
import { assert, CheckFailure, SkippedCheck } from '../contract.js';
import type { StorageContractOptions, StorageSubject, StorageUnderTest } from './storage-subject.js';

/** Milliseconds in a minute. */
export const MINUTE = 60_000;

/** Milliseconds after which rows and grants of the checks expire. A check is shorter, even on a very slow machine. */
export const LIFETIME = 15 * MINUTE;

/** Milliseconds by which the clocks of the process and of the database may differ. */
const TOLERANCE = 10_000;

/** Returns a time that has passed by the clocks of the process and of the database, by less than half a minute. */
export const pastTime = (): number => Date.now() - TOLERANCE - 1000;

/** Returns the IDs of grants, in alphabetical order. */
export const idsOf = (grants: readonly { id: string }[]): string =>
  grants
    .map(({ id }) => id)
    .toSorted()
    .join();

/** Returns the key of a row, without new data. */
export const keyOf = ({ kind, digest }: Row): RowKey => ({ kind, digest });

/** The context of one check of the storage contract: the storages, and the data of the check. */
export class StorageContext {
  /** The storage that writes. */
  readonly storage: StorageUnderTest;
  /** The storage that reads, with another connection if there are several. */
  readonly other: StorageUnderTest;
  private readonly all: readonly StorageUnderTest[];
  private readonly began = performance.now();

  constructor(
    readonly subject: StorageSubject,
    readonly options: StorageContractOptions,
  ) {
    this.all = [subject.storage, ...(subject.others ?? [])];
    this.storage = subject.storage;
    this.other = this.all.at(-1)!;
  }

  /** The milliseconds since the check began, by a clock that no check changes. */
  get elapsed(): number {
    return performance.now() - this.began;
  }

  /** Whether two times differ by no more than the clocks of two machines, and the time that the check has taken. */
  isClose(one: number, other: number): boolean {
    return Math.abs(one - other) < TOLERANCE + this.elapsed;
  }

  /** Number of calls that a race starts at the same time. */
  get parallel(): number {
    return this.options.parallel ?? 50;
  }

  /** The storage that writes, with all methods for clients. */
  get clients(): ClientStorage {
    return this.storage as ClientStorage;
  }

  /** The storage that reads, with all methods for clients. */
  get otherClients(): ClientStorage {
    return this.other as ClientStorage;
  }

  /** Starts concurrent calls, distributed over all storages. Returns their results. */
  race<T>(
    act: (storage: StorageUnderTest & ClientStorage, index: number) => T,
    count = this.parallel,
  ): Promise<Awaited<T>[]> {
    const at = (index: number) => this.all[index % this.all.length] as StorageUnderTest & ClientStorage;
    return Promise.all(Array.from({ length: count }, async (_, index) => act(at(index), index)));
  }

  /**
   * Starts concurrent calls of which exactly one must return `true`. Returns its index.
   * @throws {CheckFailure} If none or several of them return `true`.
   */
  async oneWinner(
    call: string,
    act: (storage: StorageUnderTest & ClientStorage, index: number) => unknown,
  ): Promise<number> {
    const results = await this.race(act);
    const winners = results.filter((result) => result === true).length;
    assert(
      winners === 1,
      `\`${call}\` returned true to ${winners} of ${results.length} concurrent callers. Exactly one must get true.`,
    );
    return results.indexOf(true);
  }

  /** Returns a random ID. */
  readonly id = randomUUID;

  /** Returns a new grant with IDs of its own. It is not saved yet. */
  grant(more: Partial<GrantRow> = {}): GrantRow {
    const [id, clientId, userId] = [randomUUID(), randomUUID(), randomUUID()];
    const now = Date.now();
    const times = { createdAt: now, lastUsedAt: now, expiresAt: now + LIFETIME };
    return newGrant({ id, kind: 'tokens', clientId, userId, scope: 'read', ...times, ...more });
  }

  /** Returns a new row of a grant. It is not saved yet. */
  row({ id: grantId, clientId, userId, issuer, scope }: GrantRow, more: Partial<Row> = {}): Row {
    const digest = hash('sha256', randomUUID(), 'base64url');
    const row: Row = { kind: 'code', digest, grantId, clientId, userId, issuer, scope, data: '{"n":1}', expiresAt: 0 };
    return { ...row, expiresAt: Date.now() + LIFETIME, ...more };
  }

  /** Saves a new grant with one row. */
  async saved(more?: Partial<GrantRow>, ofRow?: Partial<Row>): Promise<{ grant: GrantRow; row: Row }> {
    const grant = this.grant(more);
    const row = this.row(grant, ofRow);
    await this.storage.save(grant, [row]);
    return { grant, row };
  }

  /** Returns a client with IDs of its own. It is not saved yet. */
  client(more: Partial<StoredClient> = {}): StoredClient {
    return { id: randomUUID(), grants: ['client_credentials'], secretHashes: [], ...more };
  }

  /** Returns a row as another process finds it. */
  async find({ kind, digest }: Row): Promise<StoredRow | undefined> {
    return (await this.other.find(kind, digest)) ?? undefined;
  }

  /** Asserts that another process finds a row. */
  async present(row: Row, when: string): Promise<StoredRow> {
    const found = await this.find(row);
    assert(found, `\`find()\` does not return a row ${when}.`);
    return found;
  }

  /** Asserts that no process finds a row. */
  async absent(row: Row, when: string): Promise<void> {
    assert(!(await this.find(row)), `\`find()\` still returns a row ${when}.`);
  }

  /** Revokes the grants of an issuer that began before now, as `revokeBefore()` of a store does. */
  async revokeIssuer(issuer: string): Promise<void> {
    await setRevocationTimes(this.storage, { issuers: [issuer] });
    // A storage may cache the times for a second.
    await sleep(1100);
  }

  /** Reads all pages of grants. `between` is called after each page. */
  async pages(filter: GrantFilter, limit: number, between?: () => unknown): Promise<GrantRow[]> {
    const grants: GrantRow[] = [];
    let after: string | undefined;
    for (let page = 0; page < 30; page += 1) {
      const read: GrantPage = await this.other.pageGrants(filter, after, limit);
      assert(
        read.grants.length <= limit,
        `\`pageGrants()\` returned ${read.grants.length} grants with limit ${limit}.`,
      );
      grants.push(...read.grants.map(({ grant }) => grant));
      if (read.next === undefined) return grants;
      after = read.next;
      await between?.();
    }
    throw new CheckFailure('`pageGrants()` returns a `next` again and again. The last page must have none.');
  }

  /** Returns a resource of the check. Skips the check if the option is not set. */
  need<T>(resource: T | undefined, name: string): T {
    if (resource === undefined) throw new SkippedCheck(`\`${name}\` is not set`);
    return resource;
  }
}
