import { Controller, Get, UseGuards } from '@nestjs/common';
import { AccessToken, CurrentUser, OAuthGuard, Scopes, type Token, UserRequired } from 'nest-oauth2';

/** Guarded as it would be inside the authorization server. */
@Controller('notes')
@UseGuards(OAuthGuard)
@Scopes('notes:read')
export class NotesController {
  @Get()
  @UserRequired()
  list(@CurrentUser('id') user: string, @AccessToken() token: Token) {
    return { user, client: token.client.id, notes: ['Follow the white rabbit'] };
  }

  /** For clients that act for themselves too. */
  @Get('count')
  count() {
    return { count: 1 };
  }
}
