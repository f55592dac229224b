import { Injectable } from '@nestjs/common';

@Injectable()
export class NotesService {
  listOf(user: string) {
    return { user, notes: ['Follow the white rabbit'] };
  }
}
