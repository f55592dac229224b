import { McpServer } from '@modelcontextprotocol/server';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { Note } from './note.js';

const textResult = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** Creates an MCP server with the tools of one user. The guard on the endpoint checks the scopes of each tool. */
export function notesServer(database: DataSource, userId: string): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  server.registerTool('list_notes', { description: 'Lists the notes of the user' }, async () => {
    const notes = await database.manager.find(Note, { where: { userId }, order: { id: 'ASC' } });
    return textResult(notes.map((note) => note.text).join('\n'));
  });
  server.registerTool(
    'add_note',
    { description: 'Writes a note for the user', inputSchema: z.object({ text: z.string().max(1000) }) },
    async (note) => {
      await database.manager.insert(Note, { userId, text: note.text });
      return textResult(`Noted: ${note.text}`);
    },
  );
  return server;
}
