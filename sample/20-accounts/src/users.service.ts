import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { AccountUsers } from 'nest-oauth2/accounts';
import { DataSource } from 'typeorm';
import { Account, Note } from './tables.js';

/** The table of users. `accounts()` and the store find users here. */
@Injectable()
export class UsersService implements AccountUsers<Account> {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  findById(id: string) {
    return this.db.manager.findOneBy(Account, { id });
  }

  findByEmail(email: string) {
    return this.db.manager.findOneBy(Account, { email });
  }

  /** Throws if the address is taken, because the column is unique. */
  async create({ email, name = email }: { email: string; name?: string }) {
    const account = { id: randomUUID(), email, name };
    await this.db.manager.insert(Account, account);
    return account;
  }

  async update({ id }: Account, changes: { email: string }) {
    await this.db.manager.update(Account, { id }, changes);
    return this.findById(id);
  }

  /** Deletes what the application keeps of a user. It may be called again after a failure. */
  async delete({ id }: Account) {
    await this.db.manager.delete(Note, { userId: id });
    await this.db.manager.delete(Account, { id });
  }

  /** Returns the part of this application for the file that users download. */
  async export({ id, email, name }: Account) {
    const notes = await this.db.manager.findBy(Note, { userId: id });
    return { email, name, notes: notes.map(({ text }) => text) };
  }
}
