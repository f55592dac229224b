import { randomUUID } from 'node:crypto';

export interface Account {
  id: string;
  name: string;
  /** Whom the provider calls so: an e-mail address may be somebody else's tomorrow. OpenID Connect Core §5.7 */
  at: { iss: string; sub: string };
}

/** The users of this server: a table in a real system, with `iss` and `sub` unique together. */
class Accounts {
  private readonly all: Account[] = [];

  findById(id: string | undefined): Account | undefined {
    return this.all.find((account) => account.id === id);
  }

  /** Whoever comes for the first time has an account from then on. */
  findOrCreate({ iss, sub }: Account['at'], name: string): Account {
    const known = this.all.find(({ at }) => at.iss === iss && at.sub === sub);
    if (known) return known;
    const account = { id: randomUUID(), name, at: { iss, sub } };
    this.all.push(account);
    return account;
  }
}

export const accounts = new Accounts();
