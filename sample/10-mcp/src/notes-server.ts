import { McpServer } from '@modelcontextprotocol/server';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { Note } from './note.js';

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

/** The tools of one user, as the official SDK has them. Who may call which is not their business. */
export function notesServer(database: DataSource, userId: string): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  server.registerTool('list_notes', { description: 'Lists the notes of the user' }, async () => {
    const notes = await database.manager.find(Note, { where: { userId }, order: { id: 'ASC' } });
    return text(notes.map((note) => note.text).join('\n'));
  });
  server.registerTool(
    'add_note',
    { description: 'Writes a note for the user', inputSchema: z.object({ text: z.string().max(1000) }) },
    async (note) => {
      await database.manager.insert(Note, { userId, text: note.text });
      return text(`Noted: ${note.text}`);
    },
  );
  return server;
}
