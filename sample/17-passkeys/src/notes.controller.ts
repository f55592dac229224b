import { Controller, Get, UseGuards } from '@nestjs/common';
import { CurrentUser, OAuthGuard, Scopes } from 'nest-oauth2';

/** The API. It requires an access token and ignores the session cookie. */
@Controller('notes')
@UseGuards(OAuthGuard)
export class NotesController {
  @Get()
  @Scopes('notes:read')
  read(@CurrentUser('name') name: string) {
    return { owner: name, notes: ['Follow the white rabbit', 'Be at the tea party by six'] };
  }
}
