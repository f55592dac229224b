import { Controller, Get, UseGuards } from '@nestjs/common';
import { AccessToken, CurrentUser, OAuthGuard, Scopes, type Token, UserRequired } from 'nest-oauth2';

/** The API. It uses the same guard and decorators as an API inside the authorization server. */
@Controller('notes')
@UseGuards(OAuthGuard)
@Scopes('notes:read')
export class NotesController {
  @Get()
  @UserRequired()
  list(@CurrentUser('id') user: string, @AccessToken() token: Token) {
    return { user, client: token.client.id, notes: ['Follow the white rabbit'] };
  }

  /** Returns the number of notes. Accepts client credentials tokens too, because it has no `@UserRequired()`. */
  @Get('count')
  count() {
    return { count: 1 };
  }
}
