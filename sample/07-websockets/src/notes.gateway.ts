import { UseGuards } from '@nestjs/common';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { CurrentUser, OAuthGuard, Scopes } from 'nest-oauth2';

/** Guarded twice: nobody connects without `notes:read`, and each message needs what its own method demands. */
@WebSocketGateway()
@UseGuards(OAuthGuard)
@Scopes('notes:read')
export class NotesGateway {
  private readonly kept = ['Follow the white rabbit'];

  @SubscribeMessage('notes')
  notes() {
    return { event: 'notes', data: this.kept };
  }

  @SubscribeMessage('add')
  @Scopes('notes:write')
  add(@MessageBody() text: string, @CurrentUser('name') author: string) {
    this.kept.push(`${String(text)} (${author})`);
    return { event: 'notes', data: this.kept };
  }
}
