import { Controller, Get, Post, UseGuards } from '@nestjs/common';
import { AccessToken, OAuthGuard, type Token } from 'nest-oauth2';

/** What the tokens are for. */
@Controller('resource')
@UseGuards(OAuthGuard)
export class ResourceController {
  @Get()
  read(@AccessToken() token: Token) {
    return { client: token.client.id, scope: token.scope };
  }

  @Post()
  write(@AccessToken() token: Token) {
    return this.read(token);
  }
}
