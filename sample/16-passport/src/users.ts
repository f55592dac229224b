import { Injectable } from '@nestjs/common';
import { scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

export interface Account {
  id: string;
  username: string;
  name: string;
}

/** The existing users of the application. */
@Injectable()
export class Users {
  private readonly accounts: readonly Account[] = [{ id: '1', username: 'alice', name: 'Alice Liddell' }];
  private readonly salt = 'in production, a random salt for each user';
  private readonly hash = this.hashOf('wonderland');

  findById(id: string): Account | undefined {
    return this.accounts.find((account) => account.id === id);
  }

  async findByCredentials(username: string, password: string): Promise<Account | undefined> {
    // Hash the password for unknown usernames too, so that the response time does not reveal which usernames exist.
    const isRight = timingSafeEqual(await this.hashOf(password), await this.hash);
    return isRight ? this.accounts.find((candidate) => candidate.username === username) : undefined;
  }

  private async hashOf(password: string): Promise<Buffer> {
    return (await promisify(scrypt)(password, this.salt, 32)) as Buffer;
  }
}
