import { isClientItself, isMadeClientItself } from '../clients/client-itself.js';
import { InvalidArgumentError } from '../errors.js';
import type { Token, User } from '../model/model.js';
import { newGrantId } from '../tokens/opaque.js';
import { scopeText } from '../tokens/scope.js';
import { digest } from './client-secret.js';
import type { StoredClient } from './ports.js';
import type { GrantRow, TokenRow } from './storage.js';

/** What hangs on a grant, as the engine hands it over. */
type Issued = Pick<Token, 'scope' | 'grantId'>;

/** The last moment there is: what never expires expires then. */
const FOREVER = 8.64e15;

/** The grant that something is issued on. */
export function grantRow({ scope, grantId = newGrantId() }: Issued, client: StoredClient, user: User): GrantRow {
  const now = Date.now();
  return {
    id: grantId,
    clientId: client.id,
    userId: userId(user),
    scope: scopeText(scope) ?? null,
    createdAt: now,
    lastUsedAt: null,
    expiresAt: now,
    revokedAt: null,
  };
}

/** A token or code of a grant, which from now on lasts as long as this does. */
export function tokenRow(grant: GrantRow, secret: string, expiresAt: Date | undefined): TokenRow {
  const moment = expiresAt?.getTime() ?? FOREVER;
  grant.expiresAt = Math.max(grant.expiresAt, moment);
  const { id: grantId, clientId, scope } = grant;
  return { digest: digest(secret), grantId, clientId, userId: grant.userId, scope, expiresAt: moment, revokedAt: null };
}

/** A client as it leaves a store. */
export function withoutSecrets({ secret, secretHashes, ...client }: StoredClient): StoredClient {
  return client;
}

function userId(user: User): string | null {
  if (isMadeClientItself(user)) return null;
  const id: unknown = user['id'];
  if (isClientItself(user)) throw new InvalidArgumentError(`Invalid argument: no user may have the \`id\` of a client`);
  // Users without ids would be one and the same user.
  if ((typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'bigint') || id === '' || Number.isNaN(id)) {
    throw new InvalidArgumentError('Invalid argument: the `id` of a user must be a string or a number');
  }
  return String(id);
}
