import { randomUUID } from 'node:crypto';

export interface Account {
  id: string;
  name: string;
  /**
   * The identity at the provider. E-mail addresses are not stable identifiers, because they can be reassigned. OpenID
   * Connect Core §5.7
   */
  identity: { iss: string; sub: string };
}

/** The users of this server. In production, use a table with a unique constraint on (`iss`, `sub`). */
class Accounts {
  private readonly all: Account[] = [];

  findById(id: string | undefined): Account | undefined {
    return this.all.find((account) => account.id === id);
  }

  /** Returns the account of an identity, and creates it at the first sign-in. */
  findOrCreate({ iss, sub }: Account['identity'], name: string): Account {
    const existing = this.all.find(({ identity }) => identity.iss === iss && identity.sub === sub);
    if (existing) return existing;
    const account = { id: randomUUID(), name, identity: { iss, sub } };
    this.all.push(account);
    return account;
  }
}

export const accounts = new Accounts();
