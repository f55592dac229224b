import { Controller, Get } from '@nestjs/common';
import { InjectOAuth2Server, OAuthClient, type OAuth2Server, Public, Scopes, UseOAuth } from 'nest-oauth2';

@Controller('stock')
@UseOAuth('partners')
export class StockController {
  constructor(@InjectOAuth2Server('partners') private readonly server: OAuth2Server) {}

  @Get()
  @Scopes('stock:read')
  list(@OAuthClient('id') partner: string) {
    return { partner, stock: { 'looking-glass': 3 } };
  }

  /** Returns the lifetime of partner tokens. This route is public. */
  @Get('terms')
  @Public()
  terms() {
    return { seconds: this.server.options.accessTokenLifetime };
  }
}
