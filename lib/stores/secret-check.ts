import { createHmac, randomBytes } from 'node:crypto';

import { InvalidArgumentError } from '../errors/index.js';
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
import type { Clients, StoredClient } from './ports.js';
import { EncryptedSecrets, type EncryptedSecretsOption } from './encrypted-secrets.js';
import { withClientLimit } from './secret-check-limiter.js';
import { keepRecent } from '../crypto/lru.js';

/** How a store checks the secrets of clients. */
export interface SecretCheckOptions extends EncryptedSecretsOption {
  /**
   * Seconds for which a right client secret is remembered, so that only the first request pays for scrypt: as a keyed
   * digest, in the memory of the process alone. A secret that was replaced is wrong at once. 0: never. Default: 300
   */
  rememberSecretsFor?: number;
}

/** How many secrets are remembered. */
const LIMIT = 10_000;

/** A hash, and the name under which it is remembered that this secret matches it. */
interface Candidate {
  hash: SlowHash;
  name: string;
}

/** Checks the secrets of clients: what a wrong one costs is bounded, and delays no other client. */
export class SecretCheck {
  /** The secrets that can be read again. */
  readonly encryption: EncryptedSecrets;
  private readonly milliseconds: number;
  private readonly key = randomBytes(32);
  /** Names, and until when they hold; the oldest first. */
  private readonly remembered = new Map<string, number>();
  private readonly underWay = new Map<string, Promise<boolean>>();

  constructor(
    private readonly clients: Clients,
    { rememberSecretsFor = 300, ...options }: SecretCheckOptions = {},
  ) {
    this.encryption = new EncryptedSecrets(options);
    if (!(rememberSecretsFor >= 0 && rememberSecretsFor < Infinity)) {
      throw new InvalidArgumentError('Invalid argument: `rememberSecretsFor` must be a number of seconds');
    }
    this.milliseconds = rememberSecretsFor * 1000;
  }

  /** Those of a client that can be read again, as text. A host that keeps the clients gives those that are over too. */
  readableSecrets({ secret, secretHashes = [] }: Partial<StoredClient>): string[] {
    return this.encryption.read({ secret, secretHashes: validHashes(secretHashes, Date.now()) });
  }

  /**
   * Is this a secret of the client? The time it takes may tell whether there is a client to check: ids are no secret.
   * RFC 6749 §2.2
   * @throws TemporarilyUnavailableError when too many are being checked for this client
   */
  async isValidSecret({ id, secret: plain, secretHashes = [] }: StoredClient, secret: string): Promise<boolean> {
    if (plain && [plain].flat().some((each) => isSameSecret(each, secret))) return true;
    const candidates: Candidate[] = [];
    for (const kept of secretHashes) {
      if (!isValid(kept, Date.now())) continue;
      const stored = hashOf(kept);
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

  /** Whoever brings the same secret meanwhile has the same answer, and waits in nobody's way. */
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
    const found = await withClientLimit(id, async () => {
      for (const candidate of candidates) if (await matchesSlowHash(candidate.hash, secret)) return candidate;
      return undefined;
    });
    if (!found) return false;
    this.remember(found.name);
    if (isOutdatedHash(found.hash)) await this.upgrade(id, found.hash.stored, secret);
    return true;
  }

  /** The secret was right: that its hash could not be replaced, say on a replica, is no reason to turn it down. */
  private async upgrade(id: string, stored: string, secret: string): Promise<void> {
    if (!this.clients.replaceSecretHash) return;
    try {
      const replacement = await hashSecret(secret);
      await this.clients.replaceSecretHash(id, stored, replacement);
      this.remember(this.nameOf(replacement, secret));
    } catch (error) {
      process.emitWarning(`The secret hash of a client could not be replaced: ${String(error)}`);
    }
  }

  /** What the name is made of cannot be told from it, nor guessed: the key is known to nobody. */
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
