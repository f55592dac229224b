import { createHmac, randomBytes } from 'node:crypto';

import { InvalidArgumentError } from '../../errors/index.js';
import {
  hashSecret,
  isOutdatedHash,
  isSameSecret,
  isSlowHash,
  matchesSlowHash,
  matchesQuickHash,
  readHash,
  type SlowHash,
} from './client-secret.js';
import { validHashes, hashOf, isValid } from './stored-secrets.js';
import type { Clients, StoredClient } from '../contract/ports.js';
import { EncryptedSecrets, type EncryptedSecretsOption } from './encrypted-secrets.js';
import { withQueue, withTurn } from '../../limits/turns.js';
import { keepRecent } from '../../crypto/lru.js';

/** The options for verifying client secrets. */
export interface SecretCheckOptions extends EncryptedSecretsOption {
  /**
   * Seconds for which a correct client secret is remembered, so that only the first request computes scrypt. Only a
   * keyed digest is kept, in the memory of the process. After a rotation, an expired or removed secret is still
   * rejected at once. `0` disables it. Default: `300`.
   */
  rememberSecretsFor?: number;
}

/** Maximum number of client secrets that are remembered after a correct check. */
const LIMIT = 10_000;

/** A scrypt hash of a client that a sent secret may match, with the cache key of this hash and secret. */
interface Candidate {
  hash: SlowHash;
  name: string;
}

/** Verifies client secrets. Limits the cost of wrong secrets, so that they do not delay other clients. */
export class SecretCheck {
  /** Encrypts and decrypts the secrets of clients with `client_secret_jwt`. */
  readonly encryption: EncryptedSecrets;
  private readonly milliseconds: number;
  private readonly key = randomBytes(32);
  /** The cache keys of correct secrets, each with the time until which it is remembered. The oldest comes first. */
  private readonly remembered = new Map<string, number>();
  private readonly underWay = new Map<string, Promise<boolean>>();

  constructor(
    private readonly clients: Clients,
    { rememberSecretsFor = 300, ...options }: SecretCheckOptions = {},
  ) {
    this.encryption = new EncryptedSecrets(options);
    if (!(rememberSecretsFor >= 0 && rememberSecretsFor < Infinity)) {
      throw new InvalidArgumentError('Invalid argument: `rememberSecretsFor` must be a number of seconds, at least 0');
    }
    this.milliseconds = rememberSecretsFor * 1000;
  }

  /**
   * Returns the unexpired secrets of a client that are stored encrypted or in plain text, as plain text. Hashed secrets
   * are omitted.
   */
  readableSecrets({ secret, secretHashes = [] }: Partial<StoredClient>): string[] {
    return this.encryption.read({ secret, secretHashes: validHashes(secretHashes, Date.now()) });
  }

  /**
   * Returns whether a secret is one of the client's unexpired secrets. The response time may reveal whether a client
   * exists, since client IDs are public. RFC 6749 §2.2
   * @throws {TemporarilyUnavailableError} If too many requests of this client are waiting for the verification of its
   * secret.
   */
  async isValidSecret({ id, secret: plain, secretHashes = [] }: StoredClient, secret: string): Promise<boolean> {
    if (plain && [plain].flat().some((each) => isSameSecret(each, secret))) return true;
    const candidates: Candidate[] = [];
    for (const storedSecret of secretHashes) {
      if (!isValid(storedSecret, Date.now())) continue;
      const stored = hashOf(storedSecret);
      const hash = readHash(stored);
      const opened = hash ? undefined : this.encryption.decrypt(stored);
      if (opened !== undefined && isSameSecret(opened, secret)) return true;
      if (!hash) continue;
      if (isSlowHash(hash)) candidates.push({ hash, name: this.nameOf(stored, secret) });
      else if (matchesQuickHash(hash, secret)) return true;
    }
    if (candidates.length === 0) return false;
    return candidates.some(({ name }) => this.isRemembered(name)) || this.checkOnce(id, candidates, secret);
  }

  /**
   * Returns whether a secret matches one of the hashes. Concurrent requests with the same client and secret share one
   * verification.
   */
  private checkOnce(id: string, candidates: readonly Candidate[], secret: string): Promise<boolean> {
    const names = [id, ...candidates.map(({ name }) => name)].join(' ');
    let check = this.underWay.get(names);
    if (!check) {
      check = this.check(id, candidates, secret).finally(() => this.underWay.delete(names));
      this.underWay.set(names, check);
    }
    return check;
  }

  private async check(id: string, candidates: readonly Candidate[], secret: string): Promise<boolean> {
    const findMatch = async () => {
      for (const candidate of candidates) if (await matchesSlowHash(candidate.hash, secret)) return candidate;
      return undefined;
    };
    const match = await withQueue(`client ${id}`, () => withTurn(findMatch));
    if (!match) return false;
    this.remember(match.name);
    if (isOutdatedHash(match.hash)) await this.upgrade(id, match.hash.stored, secret);
    return true;
  }

  /**
   * Replaces an outdated hash with one of higher cost. If this fails, for example on a read-only replica, only a
   * warning is emitted, since the secret was correct. Does nothing if the clients have no `replaceSecretHash()`.
   */
  private async upgrade(id: string, stored: string, secret: string): Promise<void> {
    if (!this.clients.replaceSecretHash) return;
    try {
      const replacement = await hashSecret(secret);
      await this.clients.replaceSecretHash(id, stored, replacement);
      this.remember(this.nameOf(replacement, secret));
    } catch (error) {
      process.emitWarning(`Could not replace an outdated hash of a client secret: ${String(error)}`);
    }
  }

  /** Returns a cache key for a hash and a secret. It does not reveal them, since it is a keyed digest. */
  private nameOf(stored: string, secret: string): string {
    return createHmac('sha256', this.key).update(`${stored}\n${secret}`).digest('base64');
  }

  private isRemembered(name: string): boolean {
    return (this.remembered.get(name) ?? 0) > performance.now();
  }

  private remember(name: string): void {
    if (this.milliseconds === 0) return;
    keepRecent(this.remembered, name, performance.now() + this.milliseconds, LIMIT);
  }
}
