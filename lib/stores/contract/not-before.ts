import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

import { InvalidArgumentError } from '../../errors/index.js';
import type { Awaitable } from '../../model/model.js';
import type { NotBefore } from '../../model/not-before.js';
import { newGrantId } from '../../tokens/opaque.js';
import { KIND_RULES } from './grant-kinds.js';
import type { GrantRow } from './storage.js';

/**
 * The name of the stored text that contains the times of `revokeBefore()` for all issuers. The text begins with its
 * revision.
 */
export const NOT_BEFORE = 'not-before';
/** Number of characters of the revision at the beginning of the text `NOT_BEFORE`. */
export const REVISION_LENGTH = 32;
/** Maximum number of attempts to save the text `NOT_BEFORE` while concurrent requests change it too. */
const ATTEMPTS = 50;
/**
 * The property of the text `NOT_BEFORE` for all issuers. It cannot be the name of an issuer, since an issuer is a URL.
 * RFC 8414 §2
 */
const ALL = '*';

/**
 * The revocation times of one issuer, in milliseconds since the epoch. Grants or consents that began earlier are
 * revoked.
 */
export interface RevocationTimes {
  grants: number;
  consents: number;
}

/** The revocation times of all issuers, by issuer. */
export type RevocationTimesByIssuer = ReadonlyMap<string, RevocationTimes>;

const NONE: RevocationTimesByIssuer = new Map();

/**
 * Whether `revokeBefore()` has revoked a grant, and with it all rows of the grant.
 * @param grant `createdAt` is the time at which the grant began, by the clock of the database.
 */
export function isRevokedBefore(
  times: RevocationTimesByIssuer,
  { kind, issuer, createdAt }: Pick<GrantRow, 'kind' | 'issuer' | 'createdAt'>,
): boolean {
  if (times.size === 0) return false;
  // A kind of a later version counts as tokens.
  const by = KIND_RULES[kind]?.before ?? 'grants';
  return by !== 'nothing' && [ALL, issuer ?? ''].some((key) => createdAt < (times.get(key)?.[by] ?? 0));
}

/** Returns the grants that `revokeBefore()` has not revoked. Grants that other methods have revoked are not removed. */
export function withoutRevokedBefore(times: RevocationTimesByIssuer, grants: readonly GrantRow[]): GrantRow[] {
  return grants.filter((grant) => !isRevokedBefore(times, grant));
}

/**
 * Caches the times of `revokeBefore()` in this process. Each look-up of a row also reads the revision of the times, and
 * the times are read again only if it has changed. So they cost no extra statement, and take effect at once in every
 * process.
 */
export class RevocationTimesCache {
  private revision = '';
  private times = NONE;

  constructor(private readonly read: () => Awaitable<string | undefined>) {}

  /**
   * Returns the revocation times of all issuers.
   * @param revision The revision that a look-up has read. If it is empty, no time was ever set.
   */
  async get(revision: string | null | undefined): Promise<RevocationTimesByIssuer> {
    if (!revision) return NONE;
    if (revision !== this.revision) {
      const text = await this.read();
      this.times = parseRevocationTimes(text);
      this.revision = text?.slice(0, REVISION_LENGTH) ?? '';
    }
    return this.times;
  }
}

/** The methods of a storage for texts that are read and replaced as a whole. */
interface Texts {
  readText(name: string): Awaitable<string | undefined>;
  replaceText(name: string, old: string | undefined, text: string): Awaitable<boolean>;
  readClock(): Awaitable<number>;
}

/**
 * Saves a time before which the grants of some or all issuers are revoked, and returns it. A later time that is already
 * saved for an issuer stays.
 * @throws {InvalidArgumentError} If the time is invalid or in the future, or `issuers` is empty or has an invalid entry.
 */
export async function setRevocationTimes(
  texts: Texts,
  { before, issuers, consents = false }: NotBefore,
): Promise<Date> {
  if (before !== undefined && !(before instanceof Date && Number.isFinite(before.getTime()))) {
    throw new InvalidArgumentError('Invalid argument: `before` must be a valid Date');
  }
  if (issuers?.length === 0 || issuers?.some((issuer) => issuer !== null && (typeof issuer !== 'string' || !issuer))) {
    throw new InvalidArgumentError(
      'Invalid argument: `issuers` must be a list of issuers, or of null for grants without an issuer',
    );
  }
  const now = await texts.readClock();
  // Grants that began in the current millisecond are revoked too.
  const time = before?.getTime() ?? now + 1;
  if (time > now + 1) throw new InvalidArgumentError('Invalid argument: `before` must not be in the future');
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const old = await texts.readText(NOT_BEFORE);
    const times = new Map(parseRevocationTimes(old));
    for (const key of issuers?.map((issuer) => issuer ?? '') ?? [ALL]) {
      const last = times.get(key) ?? { grants: 0, consents: 0 };
      const grants = Math.max(last.grants, time);
      times.set(key, { grants, consents: consents ? Math.max(last.consents, time) : last.consents });
    }
    const text = newGrantId() + JSON.stringify([...times]);
    if (await texts.replaceText(NOT_BEFORE, old, text)) return new Date(time);
    await setTimeout(randomInt(4 * attempt));
  }
  throw new Error(`Gave up setting the revocation time after ${ATTEMPTS} conflicting writes`);
}

/**
 * Parses the text that is stored as `NOT_BEFORE`. If it is `undefined`, no time was ever set, and the result is empty.
 */
export function parseRevocationTimes(text: string | undefined): RevocationTimesByIssuer {
  return new Map(text === undefined ? [] : (JSON.parse(text.slice(REVISION_LENGTH)) as [string, RevocationTimes][]));
}
