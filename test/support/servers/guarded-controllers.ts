import { Body, Controller, Get, Post, UseGuards } from '@nestjs/common';
import { AccessToken, CurrentUser, type Model, OAuthGuard, Public, Scopes } from 'nest-oauth2';

/**
 * A model that derives the scope of an access token from its name: `read+write` has the scopes `read` and `write`. The
 * token `broken` causes a model error.
 */
export const model = {
  getAccessToken(accessToken: string) {
    if (accessToken === 'broken') throw new Error('SELECT * FROM tokens');
    if (!accessToken.startsWith('read')) return undefined;
    const scope = accessToken.replace('+', ' ');
    return {
      accessToken,
      accessTokenExpiresAt: new Date(Date.now() + 1000),
      client: { id: 'c' },
      user: { id: 'u', name: 'U' },
      scope,
    };
  },
} as unknown as Model;

@Scopes('read')
class BaseController {
  @Get('inherited')
  inherited() {
    return 'inherited';
  }
}

@Controller('reading')
@UseGuards(OAuthGuard)
@Scopes('read')
export class ReadScopeController extends BaseController {
  @Get()
  byController(@CurrentUser() user: object) {
    return user;
  }

  @Get('writing')
  @Scopes('read', 'write')
  byMethod(@AccessToken() { accessToken, scope }: { accessToken: string; scope: string }) {
    return { accessToken, scope };
  }

  @Get('any')
  @Scopes()
  any(@CurrentUser('name') name: string) {
    return { name };
  }

  @Get('open')
  @Public()
  open(@CurrentUser('name', { optional: true }) name: string | undefined, @AccessToken() token: unknown) {
    return { name: name ?? null, token: token ?? null };
  }

  @Post('form')
  form(@Body() body: { text: string }) {
    return { text: body.text };
  }
}

@Controller('admin')
@UseGuards(OAuthGuard)
@Scopes('admin')
export class AdminController extends BaseController {}

@Controller('open')
@UseGuards(OAuthGuard)
@Public()
export class OpenController {
  @Get()
  open() {
    return 'open';
  }

  @Get('closed')
  @Scopes('read')
  closed() {
    return 'closed';
  }
}
