import { Inject, UseGuards } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { McpController, Tool, ToolScopes } from '@rekog/mcp-nest';
import { CurrentUser, Scopes, UserRequired } from 'nest-oauth2';
import { z } from 'zod';
import { McpGuard } from './mcp.guard.js';
import { Notes } from './notes.js';

const textResult = (text: string) => ({ content: [{ type: 'text', text }] });

const note = z.object({ text: z.string().max(1000) });

/** The tools. Each call of a tool runs the guard, which requires the scopes of `@Scopes()`. */
@McpController()
@UseGuards(McpGuard)
@UserRequired()
export class NotesTools {
  constructor(@Inject(Notes) private readonly notes: Notes) {}

  @Tool({ name: 'list_notes', description: 'Lists the notes of the user' })
  @Scopes('notes:read')
  list(@CurrentUser('id') user: string) {
    return textResult(this.notes.list(user).join('\n'));
  }

  @Tool({ name: 'add_note', description: 'Writes a note for the user', parameters: note })
  @Scopes('notes:write')
  add(@Payload() { text }: z.infer<typeof note>, @CurrentUser('id') user: string) {
    this.notes.add(user, text);
    return textResult(`Noted: ${text}`);
  }

  /** Clients without the scope do not see this tool, because of `@ToolScopes()`. */
  @Tool({ name: 'delete_notes', description: 'Deletes all notes of the user' })
  @Scopes('notes:delete')
  @ToolScopes(['notes:delete'])
  clear(@CurrentUser('id') user: string) {
    this.notes.clear(user);
    return textResult('Deleted');
  }
}
