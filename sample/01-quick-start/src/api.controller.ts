import { BadRequestException, Body, Controller, Get, Post, UseGuards } from '@nestjs/common';
import { CurrentUser, OAuthGuard, Scopes } from 'nest-oauth2';
import { type DemoUser, notes } from './demo-data.js';

/** The API. The guard lets nobody in without an access token; `@Scopes` says what the token must allow. */
@Controller('api')
@UseGuards(OAuthGuard)
export class ApiController {
  @Get('profile')
  @Scopes('profile')
  profile(@CurrentUser() user: DemoUser) {
    return { id: user.id, username: user.username, name: user.name };
  }

  @Get('notes')
  @Scopes('notes:read')
  readNotes(@CurrentUser() user: DemoUser) {
    return { notes: notes.get(user.id) ?? [] };
  }

  @Post('notes')
  @Scopes('notes:write')
  writeNote(@CurrentUser() user: DemoUser, @Body('text') text: unknown) {
    if (typeof text !== 'string' || !text.trim()) throw new BadRequestException('`text` must say something');
    const written = [...(notes.get(user.id) ?? []), text.trim()];
    notes.set(user.id, written);
    return { notes: written };
  }
}
