import { EventEmitter, on } from 'node:events';
import { UseGuards } from '@nestjs/common';
import { Args, Mutation, Query, Resolver, Subscription } from '@nestjs/graphql';
import { CurrentUser, OAuthGuard, Scopes } from 'nest-oauth2';

@Resolver()
@UseGuards(OAuthGuard)
@Scopes('notes:read')
export class NotesResolver {
  private readonly kept = ['Follow the white rabbit'];
  private readonly added = new EventEmitter();

  @Query(() => [String])
  notes() {
    return this.kept;
  }

  @Mutation(() => String)
  @Scopes('notes:write')
  addNote(@Args('text', { type: () => String }) text: string, @CurrentUser('name') author: string) {
    const note = `${text} (${author})`;
    this.kept.push(note);
    this.added.emit('note', note);
    return note;
  }

  /** Ends when the token does: when it expires, or is revoked. */
  @Subscription(() => String)
  async *noteAdded() {
    for await (const [note] of on(this.added, 'note')) yield { noteAdded: note as string };
  }
}
