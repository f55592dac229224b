import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import BadgeGrantType from '../legacy/badge-grant.cjs';
import model from '../legacy/model.cjs';
import { OrdersController } from './orders.controller.js';

@Module({
  imports: [
    // Accepts the options of `new OAuth2Server()` under their old names. Adds POST /oauth/token.
    OAuth2Module.forRoot({
      model,
      accessTokenLifetime: 900,
      extendedGrantTypes: { 'urn:example:badge': BadgeGrantType },
    }),
  ],
  controllers: [OrdersController],
})
export class AppModule {}
