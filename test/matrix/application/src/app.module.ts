import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { NotesController } from './notes.controller.js';
import { NotesService } from './notes.service.js';

const alice = { id: '1', username: 'alice' };

const model = new MemoryStore({
  clients: [
    {
      id: 'my-spa',
      tokenEndpointAuthMethod: 'none',
      grants: ['authorization_code'],
      redirectUris: ['http://127.0.0.1:8080/callback'],
      scopes: ['notes:read'],
    },
  ],
  users: {
    findByCredentials: (name, password) => name === 'alice' && password === 'wonderland' && alice,
    findById: (id) => id === alice.id && alice,
  },
});

@Module({
  imports: [
    OAuth2Module.forRoot({
      model,
      features: [pages({ site: 'Notes', scopes: { 'notes:read': 'Read your notes' } })],
      secret: randomBytes(32).toString('base64url'),
    }),
  ],
  controllers: [NotesController],
  providers: [NotesService],
})
export class AppModule {}
