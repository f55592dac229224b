import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { OAuth2Module, OAuthGuard } from 'nest-oauth2';
import { revocation } from 'nest-oauth2/features';
import { partners, shop } from './models.js';
import { OrdersController } from './orders.controller.js';
import { StockController } from './stock.controller.js';

@Module({
  imports: [
    // POST /oauth/token: the one without a name, which routes ask that say nothing.
    OAuth2Module.forRoot({ model: shop }),
    // POST /partners/token and /partners/revoke: with a model, lifetimes and features of its own.
    OAuth2Module.forRoot({
      name: 'partners',
      paths: { prefix: 'partners' },
      model: partners,
      accessTokenLifetime: 300,
      features: [revocation()],
    }),
  ],
  controllers: [OrdersController, StockController],
  providers: [{ provide: APP_GUARD, useClass: OAuthGuard }],
})
export class AppModule {}
