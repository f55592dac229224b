import { BadRequestException, Body, Controller, Get, Inject, Post, UseGuards } from '@nestjs/common';
import { AcceptSession, CurrentUser, OAuthGuard, Scopes } from 'nest-oauth2';
import { DataSource } from 'typeorm';
import { Note } from './tables.js';

/** The API. It accepts access tokens, personal access tokens, and the login session from pages of this origin. */
@Controller('notes')
@UseGuards(OAuthGuard)
@AcceptSession()
export class NotesController {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  @Get()
  @Scopes('notes:read')
  async list(@CurrentUser('id') userId: string) {
    const notes = await this.db.manager.find(Note, { where: { userId }, order: { id: 'ASC' } });
    return notes.map(({ text }) => text);
  }

  @Post()
  @Scopes('notes:read', 'notes:write')
  async add(@CurrentUser('id') userId: string, @Body('text') text: unknown) {
    if (typeof text !== 'string' || !text.trim()) throw new BadRequestException('`text` must be a non-empty string');
    await this.db.manager.insert(Note, { userId, text: text.trim() });
    return this.list(userId);
  }
}
