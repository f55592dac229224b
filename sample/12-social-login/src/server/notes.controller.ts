import { Controller, Get, UseGuards } from '@nestjs/common';
import { CurrentUser, OAuthGuard, Scopes } from 'nest-oauth2';

/** The API: with a token, and no cookie. */
@Controller('notes')
@UseGuards(OAuthGuard)
export class NotesController {
  @Get()
  @Scopes('notes:read')
  read(@CurrentUser('name') name: string) {
    return { of: name, notes: ['Follow the white rabbit', 'Be at the tea party by six'] };
  }
}
