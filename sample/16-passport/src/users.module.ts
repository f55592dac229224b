import { Module } from '@nestjs/common';
import { Users } from './users.js';

/** Those whom Passport signs in are those whom tokens are for. */
@Module({ providers: [Users], exports: [Users] })
export class UsersModule {}
