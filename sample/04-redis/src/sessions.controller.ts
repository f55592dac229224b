import { Controller, Delete, Get, Param, UseGuards } from '@nestjs/common';
import { CurrentUser, InjectOAuth2Model, OAuthGuard, Scopes, UserRequired } from 'nest-oauth2';
import type { RedisStore } from 'nest-oauth2/stores/redis';

/**
 * Where users see which applications have access to their account, and end it: for applications that were given this
 * scope, in the name of a user. A client's token for itself is not enough.
 */
@Controller('sessions')
@UseGuards(OAuthGuard)
@Scopes('sessions')
@UserRequired()
export class SessionsController {
  constructor(@InjectOAuth2Model() private readonly store: RedisStore) {}

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
