import { Injectable } from '@nestjs/common';
import { scrypt, scryptSync, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

export interface Account {
  id: string;
  username: string;
  name: string;
}

/** As the application had them before there was any OAuth. */
@Injectable()
export class Users {
  private readonly accounts: readonly Account[] = [{ id: '1', username: 'alice', name: 'Alice Liddell' }];
  private readonly salt = 'of this demonstration: each user has a random one';
  private readonly hash = scryptSync('wonderland', this.salt, 32);

  findById(id: string): Account | undefined {
    return this.accounts.find((account) => account.id === id);
  }

  async findByCredentials(username: string, password: string): Promise<Account | undefined> {
    // Made for unknown names too, so that time does not tell them apart.
    const hash = (await promisify(scrypt)(password, this.salt, 32)) as Buffer;
    const account = this.accounts.find((one) => one.username === username);
    return account && timingSafeEqual(hash, this.hash) ? account : undefined;
  }
}
