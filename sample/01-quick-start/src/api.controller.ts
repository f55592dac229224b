import { BadRequestException, Body, Controller, Get, Post, UseGuards } from '@nestjs/common';
import { CurrentUser, OAuthGuard, Scopes, UserRequired } from 'nest-oauth2';
import { database } from './database.js';
import type { DemoUser } from './demo-data.js';
import { Note } from './tables.js';

/**
 * The API. `OAuthGuard` requires an access token, and `@Scopes` requires scopes. `@UserRequired` rejects tokens of the
 * client credentials grant, which have no user.
 */
@Controller('api')
@UseGuards(OAuthGuard)
@UserRequired()
export class ApiController {
  @Get('profile')
  @Scopes('profile')
  profile(@CurrentUser() user: DemoUser) {
    return { id: user.id, username: user.username, name: user.name };
  }

  @Get('notes')
  @Scopes('notes:read')
  readNotes(@CurrentUser() user: DemoUser) {
    return notesOf(user);
  }

  @Post('notes')
  @Scopes('notes:write')
  async writeNote(@CurrentUser() user: DemoUser, @Body('text') text: unknown) {
    if (typeof text !== 'string' || !text.trim()) throw new BadRequestException('`text` must be a non-empty string');
    await database.manager.insert(Note, { userId: user.id, text: text.trim() });
    return notesOf(user);
  }
}

async function notesOf({ id: userId }: DemoUser) {
  const rows = await database.manager.find(Note, { where: { userId }, order: { id: 'ASC' } });
  return { notes: rows.map(({ text }) => text) };
}
