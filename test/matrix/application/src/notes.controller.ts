import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { CurrentUser, OAuthGuard, Scopes } from 'nest-oauth2';
import { NotesService } from './notes.service.js';

@Controller('notes')
@UseGuards(OAuthGuard)
export class NotesController {
  constructor(@Inject(NotesService) private readonly notes: NotesService) {}

  @Get()
  @Scopes('notes:read')
  list(@CurrentUser('id') user: string) {
    return this.notes.listOf(user);
  }
}
