import {
  type ArgumentsHost,
  BadRequestException,
  Catch,
  type ExceptionFilter,
  ForbiddenException,
  HttpException,
  InternalServerErrorException,
  ServiceUnavailableException,
  type Type,
  UnauthorizedException,
} from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Module, OAuth2Server, OAuthError, TemporarilyUnavailableError } from 'nest-oauth2';
import { bearer, get } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { AdminController, model, ReadScopeController } from '../../support/servers/guarded-controllers.js';

let caught: unknown;

/** Returns an exception filter of the application for one exception class of Nest. */
function filterOf(exception: Type<HttpException>) {
  @Catch(exception)
  class Filter implements ExceptionFilter {
    catch(error: HttpException, host: ArgumentsHost): void {
      caught = error;
      const reply = host.switchToHttp().getResponse();
      reply.status(error.getStatus()).send({ filter: exception.name, ...(error.getResponse() as object) });
    }
  }
  return { provide: APP_FILTER, useClass: Filter };
}

const FILTERS = [
  HttpException,
  BadRequestException,
  ForbiddenException,
  InternalServerErrorException,
  ServiceUnavailableException,
  UnauthorizedException,
].map(filterOf);

describe.each(PLATFORMS)('an exception filter of the application on %s', (platform) => {
  let url: string;
  let server: OAuth2Server;
  beforeAll(async () => {
    const host = await startApplication(platform, {
      imports: [OAuth2Module.forRoot({ model, controllers: false })],
      controllers: [ReadScopeController, AdminController],
      providers: FILTERS,
    });
    url = host.url;
    server = host.app.get(OAuth2Server, { strict: false });
  });
  afterAll(stopApplications);

  it.each([
    ['UnauthorizedException', 401, 'unauthorized_request', 'reading', {}],
    ['UnauthorizedException', 401, 'invalid_token', 'reading', bearer('nonsense')],
    ['ForbiddenException', 403, 'insufficient_scope', 'admin/inherited', bearer('read')],
    ['BadRequestException', 400, 'invalid_request', 'reading', { authorization: 'Bearer' }],
    ['ServiceUnavailableException', 503, 'server_error', 'reading', bearer('broken')],
  ])('for %s catches the status %i of OAuthGuard with the error `%s`', async (filter, status, error, path, headers) => {
    const response = await get(`${url}/${path}`, headers);
    expect(response.status).toBe(status);
    const { message, cause } = caught as Error;
    const body = { statusCode: status, message, error, error_description: message };
    expect(await response.json()).toEqual({ filter, ...body });
    expect(message).toMatch(/^[A-Z][a-z]+ [a-z]+: /);
    expect(cause).toBeInstanceOf(Error);
  });

  it.each([
    ['InternalServerErrorException', 500],
    ['HttpException', 429],
  ])('for %s catches the status %i of OAuthGuard', async (filter, code) => {
    const failure = new OAuthError('Slow down', { name: 'slow_down', code });
    const authenticate = jest.spyOn(server, 'authenticate').mockRejectedValueOnce(failure);
    const response = await get(`${url}/reading`, bearer('read'));
    authenticate.mockRestore();
    expect(response.status).toBe(code);
    const said = { error: 'slow_down', error_description: 'Slow down' };
    expect(await response.json()).toEqual({ filter, statusCode: code, message: 'Slow down', ...said });
  });

  it('finds Retry-After already set on the reply', async () => {
    const failure = new TemporarilyUnavailableError('Temporarily unavailable: busy', { retryAfter: 3 });
    const find = jest.spyOn(model, 'getAccessToken').mockRejectedValueOnce(failure);
    const response = await get(`${url}/reading`, bearer('read'));
    find.mockRestore();
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '3']);
    expect(await response.json()).toMatchObject({ filter: 'ServiceUnavailableException', error: failure.name });
  });
});
