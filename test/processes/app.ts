import 'reflect-metadata';
import { Controller, Delete, Get, HttpCode, Module, Post, Query, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import libsql from 'libsql';
import { DataSource, type DataSourceOptions } from 'typeorm';

import type { Request } from '../../lib/index.js';
import { DrizzleStore } from '../../lib/stores/drizzle/index.js';
import { PrismaStore } from '../../lib/stores/prisma/index.js';
import { RedisStore } from '../../lib/stores/redis/index.js';
import { oauthEntities, TypeOrmStore } from '../../lib/stores/typeorm/index.js';
import { CurrentUser, InjectOAuth2Model, OAuth2Module, OAuthGuard } from '../../src/index.js';
import { openPrisma } from '../stores/prisma-client.js';
import { openDrizzle } from '../stores/sql-libraries.js';

/** The database in which the application stores what must survive. */
export interface DatabaseLocation {
  prefix: string;
  redis?: string;
  database?: DataSourceOptions;
  /** The library that the store uses instead of TypeORM. */
  library?: 'Drizzle' | 'Prisma' | undefined;
}

const spa = {
  id: 'spa',
  tokenEndpointAuthMethod: 'none',
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: ['https://spa.example/cb'],
};
const clients = { findById: (id: string) => (id === spa.id ? spa : undefined) };
const users = { findById: (id: string) => ({ id }), findByCredentials: () => undefined };

/** A deadline in seconds, long enough for a busy machine. */
const DEADLINE = 30;

async function openStore({ prefix, redis, database, library }: DatabaseLocation): Promise<RedisStore | TypeOrmStore> {
  const options = { clients, users, prefix, deadline: DEADLINE };
  if (redis) return new RedisStore({ client: new Redis(redis), ...options });
  if (library === 'Drizzle') return new DrizzleStore((await openDrizzle(database!)).db, options);
  if (library === 'Prisma') return new PrismaStore((await openPrisma(database!)).db, options);
  // A driver cannot be passed as JSON.
  const driver = database!.type === 'better-sqlite3' ? { driver: libsql } : {};
  const source = new DataSource({ ...database!, ...driver, entities: oauthEntities({ prefix }) });
  return new TypeOrmStore(await source.initialize(), options);
}

@Controller()
class AccountController {
  constructor(@InjectOAuth2Model() private readonly store: RedisStore | TypeOrmStore) {}

  @Get('me')
  @UseGuards(OAuthGuard)
  me(@CurrentUser('id') id: string) {
    return { id };
  }

  @Get('sessions')
  @UseGuards(OAuthGuard)
  sessions(@CurrentUser('id') id: string) {
    return this.store.listGrants(id);
  }

  @Delete('sessions')
  @UseGuards(OAuthGuard)
  async signOutEverywhere(@CurrentUser('id') id: string) {
    return { revoked: await this.store.revokeGrantsOf({ userId: id }) };
  }

  /** Exposes the single step that decides a race. It revokes nothing if the race is lost. */
  @Post('spend')
  @HttpCode(200)
  async spend(@Query('code') authorizationCode: string) {
    return { won: await this.store.revokeAuthorizationCode({ authorizationCode }) };
  }
}

async function start(place: DatabaseLocation): Promise<void> {
  const store = await openStore(place);
  const authenticateHandler = { handle: ({ headers }: Request) => ({ id: headers['x-user'] }) };

  @Module({
    imports: [OAuth2Module.forRoot({ model: store, authenticateHandler })],
    controllers: [AccountController],
  })
  class AppModule {}

  const app = await NestFactory.create(AppModule, { logger: ['error'] });
  await app.listen(0, '127.0.0.1');
  process.send!({ url: await app.getUrl() });
}

// Ends this process if its parent dies.
process.on('disconnect', () => process.exit());
await start(JSON.parse(process.env['PLACE']!) as DatabaseLocation);
