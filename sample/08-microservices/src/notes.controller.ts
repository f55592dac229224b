import { Controller, Get } from '@nestjs/common';
import { GrpcMethod, MessagePattern } from '@nestjs/microservices';
import { CurrentUser, Scopes } from 'nest-oauth2';

/** Guarded by the guard of the application, whichever way a request comes. */
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
