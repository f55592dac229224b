import { randomUUID } from 'node:crypto';

import { Controller, Get, Headers, Post, Res, UseGuards } from '@nestjs/common';
import { AccessToken, OAuthGuard, type Token } from 'nest-oauth2';

const INTERACTION = 'x-fapi-interaction-id';

/** Of either platform. */
interface Answer {
  header(name: string, value: string): unknown;
}

/** What the tokens are for. */
@Controller('resource')
@UseGuards(OAuthGuard)
export class ResourceController {
  /** It names the request as its client does. FAPI1-BASE §6.2.1 (11) */
  @Get()
  read(
    @AccessToken() token: Token,
    @Res({ passthrough: true }) answer: Answer,
    @Headers(INTERACTION) interaction: string = randomUUID(),
  ) {
    answer.header(INTERACTION, interaction);
    return { client: token.client.id, scope: token.scope };
  }

  @Post()
  write(
    @AccessToken() token: Token,
    @Res({ passthrough: true }) answer: Answer,
    @Headers(INTERACTION) interaction?: string,
  ) {
    return this.read(token, answer, interaction);
  }
}
