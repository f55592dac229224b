import { randomUUID } from 'node:crypto';

import { Controller, Get, Headers, Post, Res, UseGuards } from '@nestjs/common';
import { AccessToken, OAuthGuard, type Token } from 'nest-oauth2';

const INTERACTION = 'x-fapi-interaction-id';

/** The response of Express or Fastify. */
interface PlatformResponse {
  header(name: string, value: string): unknown;
}

/** The protected resource. */
@Controller('resource')
@UseGuards(OAuthGuard)
export class ResourceController {
  /** Returns the `x-fapi-interaction-id` of the request in the response. FAPI1-BASE §6.2.1 (11) */
  @Get()
  read(
    @AccessToken() token: Token,
    @Res({ passthrough: true }) response: PlatformResponse,
    @Headers(INTERACTION) interaction: string = randomUUID(),
  ) {
    response.header(INTERACTION, interaction);
    return { client: token.client.id, scope: token.scope };
  }

  @Post()
  write(
    @AccessToken() token: Token,
    @Res({ passthrough: true }) response: PlatformResponse,
    @Headers(INTERACTION) interaction?: string,
  ) {
    return this.read(token, response, interaction);
  }
}
