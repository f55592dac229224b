import { type CanActivate, Controller, type DynamicModule, Get, ParseIntPipe, UseGuards } from '@nestjs/common';
import {
  AccessToken,
  CurrentUser,
  InjectOAuth2Model,
  OAuth2Module,
  OAuthGuard,
  Public,
  Scopes,
  type Model,
  type OAuth2Server,
} from 'nest-oauth2';
import DefaultServer, { Request, Response, type Token } from 'nest-oauth2/server';
import type { OAuth2Report, Report } from 'nest-oauth2/report';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { addOAuth2, type OAuth2DocumentOptions } from 'nest-oauth2/swagger';
import { checkModel, OAuth2TestingModule } from 'nest-oauth2/testing';

const users = { findByCredentials: async () => undefined, findById: async () => undefined };
const model: Model = new MemoryStore({ clients: [{ id: 'demo', grants: ['client_credentials'] }], users });

export const module: DynamicModule = OAuth2Module.forRoot({ model });
export const describe: typeof addOAuth2 = addOAuth2;
export const described: OAuth2DocumentOptions = { flows: ['authorizationCode'] };
export const testing: Promise<DynamicModule> = OAuth2TestingModule.forTest();
export const guard: new (...args: never[]) => CanActivate = OAuthGuard;
export const judged: (report: OAuth2Report) => Promise<Report> = (judge) => judge.create();
export const report: Promise<{ ok: boolean }> = checkModel(() => ({ model, client: { id: 'demo' } }));

@Controller()
@UseGuards(OAuthGuard)
export class Api {
  constructor(@InjectOAuth2Model() readonly injected: Model) {}

  @Get()
  @Scopes('read')
  read(
    @AccessToken() token: Token,
    @AccessToken(ParseIntPipe) piped: unknown,
    @CurrentUser() user: object,
    @CurrentUser('id', new ParseIntPipe()) id: number,
    @CurrentUser('id', { optional: true }) maybe: string | undefined,
    @CurrentUser({ optional: true }) nobody: object | undefined,
    @CurrentUser(ParseIntPipe) everything: unknown,
  ) {
    return { token, piped, user, id, everything };
  }

  @Get('open')
  @Public()
  // @ts-expect-error: a property of the user has a name.
  open(@CurrentUser(5) user: unknown) {
    return user;
  }
}

const server: OAuth2Server = new DefaultServer({ model });
const request = new Request({ method: 'POST', query: {}, headers: {} });
export const token: Promise<Token> = server.token(request, new Response());

// @ts-expect-error: were the types lost on the way, anything would pass.
export const wrong: number = server;
