import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiBody, ApiProperty } from '@nestjs/swagger';
import { CurrentUser, OptionalAuth, Public, type User } from 'nest-oauth2';
import { scopes } from './scopes.js';

class Note {
  @ApiProperty({ type: String })
  text!: string;
}

/** The API. `OAuthGuard` protects the whole application, and `addOAuth2()` documents the requirements of each route. */
@Controller('notes')
export class NotesController {
  private readonly notes = ['Follow the white rabbit'];

  @Get()
  @scopes.Scopes('notes:read')
  read() {
    return { notes: this.notes };
  }

  @Post()
  @scopes.Scopes('notes:read', 'notes:write')
  @ApiBody({ type: Note })
  write(@Body() { text }: Note) {
    this.notes.push(String(text));
    return { notes: this.notes };
  }

  @Get('greeting')
  @OptionalAuth()
  greeting(@CurrentUser() user: User | undefined) {
    return { greeting: `Hello ${String(user?.['name'] ?? 'stranger')}` };
  }

  @Get('count')
  @Public()
  count() {
    return { count: this.notes.length };
  }
}
