import { Inject, Injectable } from '@nestjs/common';
import { PassportSerializer } from '@nestjs/passport';
import { type Account, Users } from './users.js';

/** The session knows an id; whoever is gone is signed in no more. */
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
