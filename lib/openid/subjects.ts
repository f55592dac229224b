import { createHmac } from 'node:crypto';
import { secretsOf } from '../contracts/secret.js';
import type { ServerContext } from '../contracts/feature.js';
import { ServerError } from '../errors/index.js';
import { SUBJECT_TYPE } from './client-fields.js';
import type { CoreClient, User } from '../model/model.js';
import { subjectOf } from '../tokens/subject.js';
import { claimedSector, sectorOf } from './proven-sector.js';

/** The options of pairwise subject identifiers. OpenID Connect Core §8.1 */
export interface PairwiseOptions {
  /**
   * The secret from which pairwise identifiers are derived, at least 32 random characters long. Changing it changes
   * every pairwise `sub`. A function is called when the server is made. It receives the option `config` of the module.
   */
  // oxlint-disable-next-line no-explicit-any
  salt: string | ((config: any) => string);
  /**
   * Whether clients that register no `subject_type` get pairwise identifiers. If `true`, clients that register
   * themselves or come from a client ID metadata document must not request public ones. Default: `false`. OpenID
   * Connect Registration §2
   */
  byDefault?: boolean;
}

/** The identifiers by which clients know users (`sub`) and sessions (`sid`). OpenID Connect Core §8 */
export class Subjects {
  private readonly salt: string | undefined;

  /**
   * @param server The server with the settings of the application. If omitted, no identifier can be derived.
   * @throws {InvalidArgumentError} If the salt is missing or has fewer than 32 characters.
   */
  constructor(
    private readonly pairwise: PairwiseOptions | undefined,
    server?: ServerContext,
  ) {
    if (pairwise && server) [this.salt] = secretsOf(pairwise.salt, '`pairwise.salt` of `openid()`', server);
  }

  /** Whether the client gets pairwise identifiers. */
  isPairwise(client: CoreClient): boolean {
    const type = SUBJECT_TYPE.of(client) ?? (this.pairwise?.byDefault ? 'pairwise' : 'public');
    return type !== 'public';
  }

  /**
   * Returns the `sub` of a user at a client.
   * @param issued The code or token with which the client receives the `sub`. If omitted, no sector of the client is
   * proven.
   * @throws {ServerError} If the user has no `id`, or the sector of the client is unknown.
   */
  of(user: User, client: CoreClient, issued: object = {}): string {
    return this.subjectIn(sectorOf(client, issued), user, client);
  }

  /**
   * Whether a `sub` identifies the user at the client. A pairwise `sub` identifies the user in the proven or the claimed
   * sector of the client. A public `sub` needs no sector.
   */
  isKnownAs(user: User, client: CoreClient, sub: string): boolean {
    if (!this.isPairwise(client)) return this.of(user, client) === sub;
    const sectors = new Set([sectorOf(client, {}), claimedSector(client)]);
    return [...sectors].some((sector) => sector !== undefined && this.subjectIn(sector, user, client) === sub);
  }

  /**
   * Returns the session identifier that a client knows. It is derived from a pairwise `sub`, so that clients of two
   * sectors cannot correlate a user by the session. OpenID Connect Front-Channel Logout §3, Back-Channel Logout §2.4
   */
  sessionOf({ sid, sub, userId }: { sid: string; sub: string; userId: string | undefined }): string {
    return sub === userId || !this.pairwise ? sid : this.derive(['sid', sub, sid]);
  }

  private subjectIn(sector: string | undefined, user: User, client: CoreClient): string {
    const id = subjectOf(user, client);
    if (id === undefined)
      throw new ServerError('Server error: cannot issue an ID token, because the `user` has no `id` for `sub`');
    if (!this.isPairwise(client)) return id;
    if (!this.pairwise)
      throw new ServerError(
        'Server error: the client requires pairwise identifiers, but the option `pairwise` of `openid()` is not set',
      );
    if (sector === undefined) throw new ServerError(UNKNOWN_SECTOR);
    return this.derive([sector, id]);
  }

  private derive(parts: readonly string[]): string {
    return createHmac('sha256', this.salt!).update(JSON.stringify(parts)).digest('base64url');
  }
}

const UNKNOWN_SECTOR =
  'Server error: a client with pairwise identifiers needs redirect URIs of one host, or a `sectorIdentifierUri`';
