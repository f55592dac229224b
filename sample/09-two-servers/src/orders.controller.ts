import { Controller, Get } from '@nestjs/common';
import { CurrentUser, Scopes } from 'nest-oauth2';

@Controller('orders')
export class OrdersController {
  @Get()
  @Scopes('orders:read')
  list(@CurrentUser('name') customer: string) {
    return { customer, orders: ['A looking-glass'] };
  }
}
