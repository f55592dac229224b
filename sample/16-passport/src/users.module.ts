import { Module } from '@nestjs/common';
import { Users } from './users.js';

/** Provides the users to both Passport and the OAuth server. */
@Module({ providers: [Users], exports: [Users] })
export class UsersModule {}
