import { McpServer } from '@modelcontextprotocol/server';
import { Inject, Injectable } from '@nestjs/common';
import { type NativeRequest, OAuth2Elicitations, OAuth2Upstreams } from 'nest-oauth2';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { repositoriesUrl } from './github/provider.js';
import { Note } from './note.js';

const textResult = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** The tools of the MCP server. The guard on the endpoint checks the scopes of each tool. */
@Injectable()
export class Tools {
  constructor(
    @Inject(DataSource) private readonly database: DataSource,
    @Inject(OAuth2Elicitations) private readonly elicitations: OAuth2Elicitations,
    @Inject(OAuth2Upstreams) private readonly upstreams: OAuth2Upstreams,
  ) {}

  /** Creates the MCP server for one request of a user. */
  serverFor(userId: string, request: NativeRequest): McpServer {
    const { manager } = this.database;
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    server.registerTool('list_notes', { description: 'Lists the notes of the user' }, async () => {
      const notes = await manager.find(Note, { where: { userId }, order: { id: 'ASC' } });
      return textResult(notes.map((note) => note.text).join('\n'));
    });
    server.registerTool(
      'add_note',
      { description: 'Writes a note for the user', inputSchema: z.object({ text: z.string().max(1000) }) },
      async (note) => {
        await manager.insert(Note, { userId, text: note.text });
        return textResult(`Noted: ${note.text}`);
      },
    );
    server.registerTool('list_repositories', { description: 'Lists the repositories of the user at GitHub' }, () =>
      // If the user has not connected GitHub, the client opens a page on which the user does, and the call continues.
      this.elicitations.run(request, async () => {
        const response = await this.upstreams.fetch({ id: userId }, 'github', repositoriesUrl);
        const repositories = (await response.json()) as { full_name: string }[];
        return textResult(repositories.map((one) => one.full_name).join('\n'));
      }),
    );
    return server;
  }
}
