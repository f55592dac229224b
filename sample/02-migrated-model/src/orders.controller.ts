import { Controller, Get, UseGuards } from '@nestjs/common';
import { AccessToken, CurrentUser, OAuthGuard, Scopes, type Token } from 'nest-oauth2';

@Controller('orders')
@UseGuards(OAuthGuard)
export class OrdersController {
  @Get()
  @Scopes('orders:read')
  list(@CurrentUser('id') user: number | string, @AccessToken() token: Token) {
    return { user, client: token.client.id, orders: ['Analytical engine, 1 pc.'] };
  }
}
