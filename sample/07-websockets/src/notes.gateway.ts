import { UseGuards } from '@nestjs/common';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { CurrentUser, OAuthGuard, Scopes } from 'nest-oauth2';

/** A guarded gateway. Connections require the scope `notes:read`, and messages require the scopes of their methods. */
@WebSocketGateway()
@UseGuards(OAuthGuard)
@Scopes('notes:read')
export class NotesGateway {
  private readonly stored = ['Follow the white rabbit'];

  @SubscribeMessage('notes')
  notes() {
    return { event: 'notes', data: this.stored };
  }

  @SubscribeMessage('add')
  @Scopes('notes:write')
  add(@MessageBody() text: string, @CurrentUser('name') author: string) {
    this.stored.push(`${String(text)} (${author})`);
    return { event: 'notes', data: this.stored };
  }
}
