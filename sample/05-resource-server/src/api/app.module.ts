import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { IntrospectedTokens } from 'nest-oauth2/features';
import { NotesController } from './notes.controller.js';

@Module({
  imports: [
    OAuth2Module.forRoot({
      // Finds a token by asking the authorization server. Where to ask says the metadata of the issuer.
      model: new IntrospectedTokens({
        issuer: process.env.ISSUER ?? 'http://127.0.0.1:3000',
        credentials: { id: 'notes-api', secret: process.env.NOTES_API_SECRET ?? 'notes-api-secret' },
        // A token that was meant for another API is of no use here.
        audience: 'https://notes.example/',
        // A revoked token is refused after ten seconds at the latest.
        cache: { lifetime: 10 },
      }),
      // No endpoints: nothing is issued here.
      controllers: false,
    }),
  ],
  controllers: [NotesController],
})
export class AppModule {}
