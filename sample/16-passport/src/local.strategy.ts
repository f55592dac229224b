import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-local';
import { type Account, Users } from './users.js';

@Injectable()
export class LocalStrategy extends PassportStrategy(Strategy) {
  constructor(@Inject(Users) private readonly users: Users) {
    super();
  }

  async validate(username: string, password: string): Promise<Account | false> {
    return (await this.users.findByCredentials(username, password)) ?? false;
  }
}
