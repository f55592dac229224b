import { Inject, Injectable } from '@nestjs/common';
import { PassportSerializer } from '@nestjs/passport';
import { type Account, Users } from './users.js';

/** Stores only the user ID in the session. The session of a deleted user has no user. */
@Injectable()
export class SessionSerializer extends PassportSerializer {
  constructor(@Inject(Users) private readonly users: Users) {
    super();
  }

  serializeUser(user: Account, done: (error: unknown, id: string) => void): void {
    done(null, user.id);
  }

  deserializeUser(id: string, done: (error: unknown, user: Account | false) => void): void {
    done(null, this.users.findById(id) ?? false);
  }
}
