import { randomUUID } from 'node:crypto';
import type { UpstreamAccounts, UpstreamProfile } from 'nest-oauth2/upstreams';

/** The users of this server. Replace the list with a table of your database. */
export class Accounts implements UpstreamAccounts {
  private readonly all: { id: string; name: string }[] = [];

  findById = (id: string) => this.all.find((account) => account.id === id);

  create({ name = 'Unnamed' }: UpstreamProfile) {
    const account = { id: randomUUID(), name };
    this.all.push(account);
    return account;
  }
}

export const accounts = new Accounts();
