import { Controller, Delete, Get, Param, UseGuards } from '@nestjs/common';
import { CurrentUser, InjectOAuth2Model, OAuthGuard, Scopes, UserRequired } from 'nest-oauth2';
import type { TypeOrmStore } from 'nest-oauth2/stores/typeorm';

/**
 * Lists the applications with access to the user's account, and revokes their access. Requires a user's token with the
 * scope `sessions`.
 */
@Controller('sessions')
@UseGuards(OAuthGuard)
@Scopes('sessions')
@UserRequired()
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

  /** Revokes one grant. The query includes the user ID, so users can revoke only their own grants. */
  @Delete(':id')
  async end(@CurrentUser('id') userId: string, @Param('id') grantId: string) {
    return { ended: await this.store.revokeGrantsOf({ userId, grantId }) };
  }

  @Delete()
  async endAll(@CurrentUser('id') userId: string) {
    return { ended: await this.store.revokeGrantsOf({ userId }) };
  }
}
