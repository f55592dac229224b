import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

import { InvalidArgumentError } from '../errors/index.js';
import type { Awaitable } from '../model/model.js';
import type { NotBefore } from '../model/not-before.js';
import { newGrantId } from '../tokens/opaque.js';
import { isConsent } from './consent.js';
import { isSessionClient } from './session-client.js';
import type { GrantRow, RowKind } from './storage.js';
import { NOTIFICATIONS } from './user-records.js';

/** The name of the text that holds the moments of all issuers. It begins with its revision. */
export const NOT_BEFORE = 'not-before';
/** Number of characters of a revision. */
export const REVISION_LENGTH = 32;
/** How often a conflicting write is repeated. */
const ATTEMPTS = 50;
/** Stands for all issuers. No issuer is called so, since an issuer is a URL. RFC 8414 §2 */
const ALL = '*';

/** The kinds of rows that do not end with the grants of a user. Clients that registered themselves are not ended by any moment. */
const ENDED_BY: Readonly<Partial<Record<RowKind, 'consents' | 'nothing'>>> = {
  consent: 'consents',
  registration: 'nothing',
};

/** Moments of one issuer, in milliseconds since the epoch: what began earlier is ended. */
export interface RevocationTimes {
  grants: number;
  consents: number;
}

/** The moments of all issuers, by issuer. */
export type RevocationTimesByIssuer = ReadonlyMap<string, RevocationTimes>;

const NONE: RevocationTimesByIssuer = new Map();

/** Whether a row of this kind is ended: `createdAt` is when its grant began, by the clock of the store. */
export function isRevokedBefore(
  moments: RevocationTimesByIssuer,
  kind: RowKind,
  grant: Pick<GrantRow, 'issuer' | 'createdAt'>,
): boolean {
  const by = ENDED_BY[kind] ?? 'grants';
  return by !== 'nothing' && isBefore(moments, by, grant);
}

/** Leaves out the grants that are ended. Sign-ins at clients and messages to them stay, so that clients still learn of a sign-out. */
export function withoutRevokedBefore(moments: RevocationTimesByIssuer, grants: readonly GrantRow[]): GrantRow[] {
  if (moments.size === 0) return [...grants];
  return grants.filter(
    (grant) =>
      isSessionClient(grant) ||
      grant.userId === NOTIFICATIONS ||
      !isBefore(moments, isConsent(grant) ? 'consents' : 'grants', grant),
  );
}

function isBefore(
  moments: RevocationTimesByIssuer,
  by: keyof RevocationTimes,
  { issuer, createdAt }: Pick<GrantRow, 'issuer' | 'createdAt'>,
): boolean {
  if (moments.size === 0) return false;
  return [ALL, issuer ?? ''].some((key) => createdAt < (moments.get(key)?.[by] ?? 0));
}

/**
 * The moments as this process has read them last. Every look-up returns their revision in the same statement, and they are
 * read again only if it has changed. So they cost no statement, and take effect in every process at once.
 */
export class RevocationTimesCache {
  private revision = '';
  private moments = NONE;

  constructor(private readonly read: () => Awaitable<string | undefined>) {}

  /** @param revision of a look-up; without one, no moment was ever set */
  async get(revision: string | null | undefined): Promise<RevocationTimesByIssuer> {
    if (!revision) return NONE;
    if (revision !== this.revision) {
      const text = await this.read();
      this.moments = parseRevocationTimes(text);
      this.revision = text?.slice(0, REVISION_LENGTH) ?? '';
    }
    return this.moments;
  }
}

/** A storage for texts that are read and replaced as a whole. */
interface Texts {
  readText(name: string): Awaitable<string | undefined>;
  replaceText(name: string, old: string | undefined, text: string): Awaitable<boolean>;
  readClock(): Awaitable<number>;
}

/** Sets moments in one write. Returns the one that was applied. */
export async function setRevocationTimes(
  texts: Texts,
  { before, issuers, consents = false }: NotBefore,
): Promise<Date> {
  if (before !== undefined && !(before instanceof Date && Number.isFinite(before.getTime()))) {
    throw new InvalidArgumentError('Invalid argument: `before` must be a valid Date');
  }
  if (issuers?.length === 0 || issuers?.some((issuer) => issuer !== null && (typeof issuer !== 'string' || !issuer))) {
    throw new InvalidArgumentError('Invalid argument: `issuers` must name an issuer, or null for none');
  }
  const now = await texts.readClock();
  // Grants that began in this very millisecond end as well.
  const moment = before?.getTime() ?? now + 1;
  if (moment > now + 1) throw new InvalidArgumentError('Invalid argument: `before` must not be in the future');
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const old = await texts.readText(NOT_BEFORE);
    const moments = new Map(parseRevocationTimes(old));
    for (const key of issuers?.map((issuer) => issuer ?? '') ?? [ALL]) {
      const last = moments.get(key) ?? { grants: 0, consents: 0 };
      const grants = Math.max(last.grants, moment);
      moments.set(key, { grants, consents: consents ? Math.max(last.consents, moment) : last.consents });
    }
    const text = newGrantId() + JSON.stringify([...moments]);
    if (await texts.replaceText(NOT_BEFORE, old, text)) return new Date(moment);
    await setTimeout(randomInt(4 * attempt));
  }
  throw new Error(`Gave up setting the moment after ${ATTEMPTS} conflicting writes`);
}

/** Reads the text that is kept as `NOT_BEFORE`. */
export function parseRevocationTimes(text: string | undefined): RevocationTimesByIssuer {
  return new Map(text === undefined ? [] : (JSON.parse(text.slice(REVISION_LENGTH)) as [string, RevocationTimes][]));
}
