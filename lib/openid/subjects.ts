import { createHmac } from 'node:crypto';
import { ServerError } from '../errors/index.js';
import { SUBJECT_TYPE } from './client-fields.js';
import type { CoreClient, User } from '../model/model.js';
import { subjectOf } from '../tokens/subject.js';
import { claimedSector, sectorOf } from './proven-sector.js';

/** The options of pairwise subject identifiers. OpenID Connect Core §8.1 */
export interface PairwiseOptions {
  /** The secret from which pairwise identifiers are derived: 32 random characters at least. Another salt changes every `sub`. */
  salt: string;
  /**
   * Whether clients that register no `subject_type` get pairwise identifiers. If `true`, clients that register themselves or are described
   * by a metadata document must not request public ones. Default: `false`. OpenID Connect Registration §2
   */
  byDefault?: boolean;
}

/** Derives the subject and session identifiers that clients know. OpenID Connect Core §8 */
export class Subjects {
  constructor(private readonly pairwise: PairwiseOptions | undefined) {}

  /** Whether the client gets pairwise identifiers. */
  isPairwise(client: CoreClient): boolean {
    const type = SUBJECT_TYPE.of(client) ?? (this.pairwise?.byDefault ? 'pairwise' : 'public');
    return type !== 'public';
  }

  /**
   * Returns the `sub` of a user at a client.
   * @param issued the code or token for which the client learns the `sub`. If omitted, no redirect URI of the client is proven.
   * @throws {ServerError} If the user has no `id`, or the sector of the client is unknown.
   */
  of(user: User, client: CoreClient, issued: object = {}): string {
    return this.subjectIn(sectorOf(client, issued), user, client);
  }

  /** Whether a `sub` identifies the user at the client, by a proven or by an unproven sector of the client. */
  isKnownAs(user: User, client: CoreClient, sub: string): boolean {
    const sectors = new Set([sectorOf(client, {}), claimedSector(client)]);
    return [...sectors].some((sector) => sector !== undefined && this.subjectIn(sector, user, client) === sub);
  }

  /**
   * Returns the session identifier that a client knows. It is derived from a pairwise `sub`, so that clients of two sectors cannot
   * correlate a user by their session. OpenID Connect Front-Channel Logout §3, Back-Channel Logout §2.4
   */
  sessionOf({ sid, sub, userId }: { sid: string; sub: string; userId: string | undefined }): string {
    return sub === userId || !this.pairwise ? sid : this.derive(['sid', sub, sid]);
  }

  private subjectIn(sector: string | undefined, user: User, client: CoreClient): string {
    const id = subjectOf(user);
    if (id === undefined)
      throw new ServerError('Server error: the `user` has no `id`, which an ID token names as its `sub`');
    if (!this.isPairwise(client)) return id;
    if (!this.pairwise)
      throw new ServerError('Server error: a client is `pairwise`, and `openid()` has no option `pairwise`');
    if (sector === undefined) throw new ServerError(UNKNOWN_SECTOR);
    return this.derive([sector, id]);
  }

  private derive(parts: readonly string[]): string {
    return createHmac('sha256', this.pairwise!.salt).update(JSON.stringify(parts)).digest('base64url');
  }
}

const UNKNOWN_SECTOR =
  'Server error: a client that is `pairwise` has redirect URIs of one host alone, or a `sectorIdentifierUri`';
