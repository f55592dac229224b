import { Controller, Get } from '@nestjs/common';
import { GrpcMethod, MessagePattern } from '@nestjs/microservices';
import { CurrentUser, Scopes } from 'nest-oauth2';

/** Lists notes over HTTP, TCP and gRPC. The application's guard checks requests of all transports. */
@Controller('notes')
@Scopes('notes:read')
export class NotesController {
  @Get()
  @MessagePattern('notes')
  list(@CurrentUser('name') reader: string) {
    return [`Follow the white rabbit, ${reader}`];
  }

  @GrpcMethod('Notes', 'List')
  listByGrpc(@CurrentUser('name') reader: string) {
    return { notes: this.list(reader) };
  }
}
