import { Controller, Delete, Get, Param, UseGuards } from '@nestjs/common';
import { CurrentUser, InjectOAuth2Model, OAuthGuard } from 'nest-oauth2';
import type { TypeOrmStore } from 'nest-oauth2/stores/typeorm';

/** Where users see which applications have access to their account, and end it. */
@Controller('sessions')
@UseGuards(OAuthGuard)
export class SessionsController {
  constructor(@InjectOAuth2Model() private readonly store: TypeOrmStore) {}

  @Get()
  async list(@CurrentUser('id') userId: string) {
    const grants = await this.store.listGrants(userId);
    return grants.map(({ id, clientId, scope, createdAt, lastUsedAt }) => ({
      id,
      clientId,
      scope,
      createdAt,
      lastUsedAt,
    }));
  }

  /** With the user's id, so that nobody ends the sessions of others. */
  @Delete(':id')
  async end(@CurrentUser('id') userId: string, @Param('id') grantId: string) {
    return { ended: await this.store.revokeGrantsOf({ userId, grantId }) };
  }

  @Delete()
  async endAll(@CurrentUser('id') userId: string) {
    return { ended: await this.store.revokeGrantsOf({ userId }) };
  }
}
