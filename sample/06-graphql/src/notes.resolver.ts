import { EventEmitter, on } from 'node:events';
import { UseGuards } from '@nestjs/common';
import { Args, Mutation, Query, Resolver, Subscription } from '@nestjs/graphql';
import { CurrentUser, OAuthGuard, Scopes } from 'nest-oauth2';

@Resolver()
@UseGuards(OAuthGuard)
@Scopes('notes:read')
export class NotesResolver {
  private readonly stored = ['Follow the white rabbit'];
  private readonly added = new EventEmitter();

  @Query(() => [String])
  notes() {
    return this.stored;
  }

  @Mutation(() => String)
  @Scopes('notes:write')
  addNote(@Args('text', { type: () => String }) text: string, @CurrentUser('name') author: string) {
    const note = `${text} (${author})`;
    this.stored.push(note);
    this.added.emit('note', note);
    return note;
  }

  /** Sends each new note to the subscriber. The subscription ends when the token expires or is revoked. */
  @Subscription(() => String)
  async *noteAdded() {
    for await (const [note] of on(this.added, 'note')) yield { noteAdded: note as string };
  }
}
