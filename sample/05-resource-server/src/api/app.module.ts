import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { IntrospectedTokens } from 'nest-oauth2/features';
import { NotesController } from './notes.controller.js';

@Module({
  imports: [
    OAuth2Module.forRoot({
      // Validates tokens by introspection at the authorization server. The issuer's metadata names the endpoint.
      model: new IntrospectedTokens({
        issuer: process.env.ISSUER ?? 'http://127.0.0.1:3000',
        credentials: { id: 'notes-api', secret: process.env.NOTES_API_SECRET ?? 'notes-api-secret' },
        // Tokens for other APIs are rejected.
        audience: 'https://notes.example/',
        // Introspection responses are cached for ten seconds, so a revoked token is rejected within that time.
        cache: { lifetime: 10 },
      }),
      // This application has no OAuth endpoints: it issues no tokens.
      controllers: false,
    }),
  ],
  controllers: [NotesController],
})
export class AppModule {}
