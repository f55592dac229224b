import type { Spa } from './spa.js';

/** An identity of another provider for which two users compete, as far as their requests were answered. */
export interface Identity {
  key: string;
  users: readonly [string, string];
  /** The user that has the identity. `null` if none has it. `undefined` if the response to the last request is unknown. */
  owner: string | null | undefined;
  /** The user whose account a request deletes that was not answered. */
  deletedUser?: string;
}

/** Users who link and unlink identities and delete their accounts, until the server stops. */
export class IdentityLoad {
  readonly identities: Identity[] = [];
  /** The identities that a user has and that no worker ends, so that the test can tell whether a kill loses them. */
  readonly kept: Identity[] = [];

  constructor(
    private readonly spa: Spa,
    private readonly name: string,
  ) {}

  async run(workers: number): Promise<void> {
    await Promise.all(Array.from({ length: workers }, () => this.runWorker()));
  }

  private async runWorker(): Promise<void> {
    for (;;) {
      const key = `${this.name}-key-${this.identities.length}`;
      const identity: Identity = { key, users: [`${key}-one`, `${key}-two`], owner: null };
      this.identities.push(identity);
      const isKept = this.identities.length % 3 === 1;
      const isNext = () => !isKept && Math.random() < 0.7;
      do if (!(await this.link(identity)) || !(await this.link(identity))) return;
      while (isNext() && (await this.end(identity)));
      if (identity.owner === undefined) return;
      if (isKept) this.kept.push(identity);
    }
  }

  /**
   * Both users link the identity at the same time. One of them gets it, unless a user has it already. Returns whether
   * the server responded.
   */
  private async link(identity: Identity): Promise<boolean> {
    const { key, users, owner } = identity;
    identity.owner = owner || undefined;
    const results = await Promise.all(users.map((user) => this.spa.link(user, key)));
    if (results.includes(undefined)) return false;
    const winners = users.filter((_, index) => results[index]!.body.done);
    if (winners.length !== (owner ? 0 : 1))
      throw new Error(`${winners.length} users got an identity that ${owner ?? 'no user'} had`);
    identity.owner = owner ?? winners[0]!;
    return true;
  }

  /** Unlinks the identity, or deletes the account of its user. Returns whether the server responded. */
  private async end(identity: Identity): Promise<boolean> {
    const { key, owner } = identity;
    identity.owner = undefined;
    const isDeletion = Math.random() < 0.5;
    const result = await (isDeletion ? this.spa.erase(owner!) : this.spa.unlink(key));
    if (result === undefined) {
      if (isDeletion) identity.deletedUser = owner!;
      return false;
    }
    if (result.status !== 200 || !(result.body.done || result.body.count === 1))
      throw new Error(`An identity of ${owner} was not removed: ${JSON.stringify(result)}`);
    identity.owner = null;
    return true;
  }
}
