import 'reflect-metadata';
import { Controller, Delete, Get, HttpCode, Module, Post, Query, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Request } from '../../lib/index.js';
import type { RedisStore } from '../../lib/stores/redis/index.js';
import type { TypeOrmStore } from '../../lib/stores/typeorm/index.js';
import { type DatabaseLocation, openStore } from './open-store.js';
import { CurrentUser, InjectOAuth2Model, OAuth2Module, OAuthGuard } from '../../src/index.js';

const spa = {
  id: 'spa',
  tokenEndpointAuthMethod: 'none',
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: ['https://spa.example/cb'],
};
const clients = { findById: (id: string) => (id === spa.id ? spa : undefined) };
const users = { findById: (id: string) => ({ id }), findByCredentials: () => undefined };

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

  /** Links an identity of another provider with an account. */
  @Post('identities')
  @HttpCode(200)
  async link(@Query('user') userId: string, @Query('key') key: string) {
    return { done: await this.store.addCredential({ realm: '', userId }, { kind: 'identity', key, data: userId }) };
  }

  @Delete('identities')
  async unlink(@Query('key') key: string) {
    const found = await this.store.findCredential('', 'identity', key);
    return { done: found !== undefined && (await this.store.removeCredential(found)) };
  }

  /** Returns the accounts that have an identity: the one that its key finds, and those that list it. */
  @Get('identities')
  async owners(@Query('key') key: string, @Query('users') ids: string) {
    const found = await this.store.findCredential('', 'identity', key);
    const lists = await Promise.all(
      ids.split(',').map((userId) => this.store.findCredentials({ realm: '', userId }, ['identity'])),
    );
    return { owner: found?.userId ?? null, listed: lists.flat().map(({ userId, data }) => [userId, data]) };
  }

  @Delete('accounts')
  async erase(@Query('user') userId: string) {
    return { count: await this.store.deleteAccount({ realm: '', userId }) };
  }
}

async function start(place: DatabaseLocation): Promise<void> {
  const store = await openStore(place, { clients, users });
  const { refreshTokenReuseInterval = 0 } = place;
  const authenticateHandler = { handle: ({ headers }: Request) => ({ id: headers['x-user'] }) };

  @Module({
    imports: [OAuth2Module.forRoot({ model: store, authenticateHandler, refreshTokenReuseInterval })],
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
