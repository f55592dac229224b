import { Injectable } from '@nestjs/common';

/** The notes of each user, in memory. */
@Injectable()
export class Notes {
  private readonly byUser = new Map([['1', ['Follow the white rabbit']]]);

  list(user: string): readonly string[] {
    return this.byUser.get(user) ?? [];
  }

  add(user: string, text: string): void {
    this.byUser.set(user, [...this.list(user), text]);
  }

  clear(user: string): void {
    this.byUser.delete(user);
  }
}
