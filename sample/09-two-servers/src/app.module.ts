import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { OAuth2Module, OAuthGuard } from 'nest-oauth2';
import { revocation } from 'nest-oauth2/features';
import { partners, shop } from './models.js';
import { OrdersController } from './orders.controller.js';
import { StockController } from './stock.controller.js';

@Module({
  imports: [
    // The default server: POST /oauth/token. Routes without `@UseOAuth()` accept its tokens.
    OAuth2Module.forRoot({ model: shop }),
    // The server `partners`: POST /partners/token and /partners/revoke. It has its own model, lifetimes and features.
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
