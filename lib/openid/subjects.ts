import { createHmac } from 'node:crypto';
import { ServerError } from '../errors.js';
import { registered } from '../features/client-metadata/registered.js';
import { isLoopbackName } from '../http/public-url.js';
import type { Client, User } from '../model/model.js';
import { subjectOf } from '../tokens/subject.js';

/** How clients are given other names for the same user. */
export interface PairwiseOptions {
  /** What the names are made with: 32 random characters at least, a secret. With another one all users are strangers to all clients. */
  salt: string;
  /** Is it so for all clients that do not say? Default: false, those that register `subject_type` alone. OpenID Connect Registration §2 */
  byDefault?: boolean;
}

/** Who a user is to a client: `sub`, the same in its ID tokens and at the userinfo endpoint. OpenID Connect Core §8 */
export class Subjects {
  constructor(private readonly pairwise: PairwiseOptions | undefined) {}

  /** @throws ServerError for a user without `id`, and for a client whose sector is unknown */
  of(user: User, client: Client): string {
    const id = subjectOf(user);
    if (id === undefined)
      throw new ServerError('Server error: the `user` has no `id`, which an ID token names as its `sub`');
    const type = registered(client, 'subjectType') ?? (this.pairwise?.byDefault ? 'pairwise' : 'public');
    if (type === 'public') return id;
    if (!this.pairwise)
      throw new ServerError('Server error: a client is `pairwise`, and `openid()` has no option `pairwise`');
    const sector = sectorOf(client);
    if (sector === undefined) throw new ServerError(UNKNOWN_SECTOR);
    return createHmac('sha256', this.pairwise.salt)
      .update(JSON.stringify([sector, id]))
      .digest('base64url');
  }
}

const UNKNOWN_SECTOR =
  'Server error: a client that is `pairwise` has redirect URIs of one host alone, or a `sectorIdentifierUri`';

/** To whom a client belongs, whose clients all know a user by one name: a host; undefined: nobody can tell. OpenID Connect Core §8.1 */
function sectorOf(client: Client): string | undefined {
  const uris = sectorUris(registered(client, 'sectorIdentifierUri'), client.redirectUris);
  const host = commonHost(uris);
  // Who has no place, or one on the user's own device, which is nobody's, belongs to nobody else.
  const isAlone = uris.length === 0 || (host !== undefined && isLoopbackName(host));
  return isAlone ? `client ${client.id}` : host;
}

/** The URIs whose one host is a sector. */
export const sectorUris = (uri: string | undefined, redirectUris: readonly string[] = []): readonly string[] =>
  uri === undefined ? redirectUris : [uri];

/** The host of all of them; undefined: they have not one and the same. */
export function commonHost(uris: readonly string[]): string | undefined {
  const [host, ...more] = new Set(uris.map(hostOf));
  return more.length === 0 ? host : undefined;
}

/** The scheme of an app is as good as a host. What stands behind it is none: anybody can write there what they like. */
function hostOf(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined;
  const { hostname, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) ? hostname : protocol;
}
