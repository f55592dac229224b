import { hash } from 'node:crypto';
import { constantTimeEqual } from '../../../lib/internal.js';
import type { AccountKey, CredentialModel, ServerContext, StoredCredential, User } from '../../../lib/index.js';
import { removeLatest } from '../remove-latest.js';
import { Challenges } from './challenges.js';
import { type Expected, parseResponse, type PasskeyData, verifyNew, verifyUse } from './webauthn.js';

/** Maximum number of passkeys of one user. */
const MAX_PASSKEYS = 20;

/** A passkey that was used: its user and its authentication methods. RFC 8176 §2 */
export interface UsedPasskey {
  readonly userId: string;
  readonly amr: readonly string[];
  /** Returns whether the passkey was not removed since. */
  readonly isCurrent: () => Promise<boolean>;
}

/** The passkeys of one realm of users. The store keeps their public keys. */
export class Passkeys {
  readonly challenges: Challenges;
  /** The relying party: a domain. Web Authentication Level 3 §5.4.2 */
  readonly rpId: string;
  private readonly origin: string;

  constructor(
    private readonly model: CredentialModel,
    server: ServerContext,
    private readonly realm: string,
    rpId: string | undefined,
  ) {
    const { origin, hostname } = new URL(server.options.issuer!);
    this.origin = origin;
    this.rpId = rpId ?? hostname;
    this.challenges = new Challenges(server, realm);
  }

  /** Returns the passkeys of a user, the oldest first. */
  async list(user: User): Promise<readonly PasskeyData[]> {
    const found = await this.model.findCredentials(this.accountOf(user), ['passkey']);
    return found.map(dataOf).toSorted((one, other) => one.createdAt - other.createdAt);
  }

  /** Whether a user has a passkey. */
  async has(user: User): Promise<boolean> {
    return (await this.list(user)).length > 0;
  }

  /**
   * Adds a passkey.
   * @param challenge the consumed challenge
   * @returns whether it was added
   */
  async add(user: User, text: string | undefined, challenge: string, name: string): Promise<boolean> {
    const response = parseResponse(text);
    if (!response || (await this.list(user)).length >= MAX_PASSKEYS) return false;
    const passkey = await verifyNew(response, this.expected(challenge), name);
    if (!passkey) return false;
    const data = JSON.stringify(passkey);
    return this.model.addCredential(this.accountOf(user), { kind: 'passkey', key: passkey.id, data });
  }

  /**
   * Verifies the use of a passkey, and stores its new state.
   * @param user the user whose passkey it must be. If omitted, the passkey identifies the user, and must verify the user
   * itself, because it counts as two factors.
   */
  async use(text: string | undefined, challenge: string, user?: User): Promise<UsedPasskey | undefined> {
    const response = parseResponse(text);
    const found = response && (await this.model.findCredential(this.realm, 'passkey', response.id));
    if (!found || (user && found.userId !== String(user['id']))) return undefined;
    const { userHandle } = response.response;
    if ((user === undefined || userHandle !== undefined) && !this.isHandleOf(found.userId, userHandle))
      return undefined;
    const passkey = await verifyUse(response, this.expected(challenge), dataOf(found), user === undefined);
    if (!passkey) return undefined;
    // A concurrent use has stored its state, or the passkey was removed.
    if (!(await this.model.replaceCredential(found, JSON.stringify(passkey))) && !(await this.find(passkey.id)))
      return undefined;
    const isCurrent = async () => (await this.find(passkey.id)) !== undefined;
    return { userId: found.userId, amr: [passkey.backupEligible ? 'swk' : 'hwk', 'user'], isCurrent };
  }

  /** Renames a passkey of a user. */
  async rename(user: User, id: string, name: string): Promise<void> {
    const found = await this.find(id);
    if (found?.userId === String(user['id'])) {
      await this.model.replaceCredential(found, JSON.stringify({ ...dataOf(found), name }));
    }
  }

  /** Removes a passkey of a user. Returns `false` if the user has no such passkey. */
  async remove(user: User, id: string): Promise<boolean> {
    const removed = await removeLatest(this.model, async () => {
      const found = await this.find(id);
      return found?.userId === String(user['id']) ? found : undefined;
    });
    return removed !== undefined;
  }

  /** Removes all passkeys of a user. Returns whether there were any. */
  async removeAll(user: User): Promise<boolean> {
    const found = await this.model.findCredentials(this.accountOf(user), ['passkey']);
    for (const one of found) await this.remove(user, dataOf(one).id);
    return found.length > 0;
  }

  /** Returns the user handle, which authenticators store. It reveals nothing. Web Authentication Level 3 §14.6.1 */
  handleOf(userId: string): string {
    return hash('sha256', JSON.stringify(['passkey user', this.realm, userId]), 'base64url');
  }

  private isHandleOf(userId: string, handle: unknown): boolean {
    return typeof handle === 'string' && constantTimeEqual(handle, this.handleOf(userId));
  }

  private async find(id: string): Promise<StoredCredential | undefined> {
    return this.model.findCredential(this.realm, 'passkey', id);
  }

  private expected(challenge: string): Expected {
    return { challenge, origin: this.origin, rpId: this.rpId };
  }

  private accountOf(user: User): AccountKey {
    return { realm: this.realm, userId: String(user['id']) };
  }
}

const dataOf = ({ data }: StoredCredential) => JSON.parse(data!) as PasskeyData;
