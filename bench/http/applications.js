import 'reflect-metadata';
import { Body, Controller, Get, HttpCode, Module, Post, Req, Res, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/**
 * Starts a Nest application with these controllers and imports on a free port, with the body parsers that Nest
 * installs.
 */
export async function start(platform, { controllers, imports = [] }, port = 0) {
  class Application {}
  Module({ controllers, imports })(Application);
  const app = await NestFactory.create(Application, await adapterOf(platform), { logger: false });
  await app.listen(port, '127.0.0.1');
  return app;
}

/** Only the used platform is loaded, because the other one would add to the measured memory. */
async function adapterOf(platform) {
  if (platform === 'fastify') {
    const { FastifyAdapter } = await import('@nestjs/platform-fastify');
    return new FastifyAdapter();
  }
  const { ExpressAdapter } = await import('@nestjs/platform-express');
  return new ExpressAdapter();
}

/** A controller with `GET /guarded`, protected by the guard if one is given. */
export function guardedController(guard, ...decorators) {
  class GuardedController {
    read() {
      return { ok: true };
    }
  }
  decorate(GuardedController, 'read', [Get('guarded'), ...decorators, ...(guard ? [UseGuards(guard)] : [])]);
  Controller()(GuardedController);
  return GuardedController;
}

/** A controller with `POST /oauth/token` that sends the response of `answer`. */
export function tokenController(answer) {
  class TokenController {
    async token(request, reply) {
      const { status, headers, body } = await answer(rawOf(request));
      setHeaders(reply, headers);
      setHeaders(reply, { 'content-type': 'application/json; charset=utf-8' });
      if (reply.code) {
        reply.code(status).send(JSON.stringify(body));
      } else {
        reply.statusCode = status;
        reply.end(JSON.stringify(body));
      }
    }
  }
  decorate(TokenController, 'token', [Post('oauth/token')], [Req(), Res()]);
  Controller()(TokenController);
  return TokenController;
}

/** A controller with `POST /oauth/token` that reads the form and responds without any OAuth code. */
export function bareTokenController() {
  class TokenController {
    token(form) {
      return { access_token: 'x'.repeat(64), token_type: 'Bearer', expires_in: 3600, scope: form.scope };
    }
  }
  decorate(TokenController, 'token', [Post('oauth/token'), HttpCode(200)], [Body()]);
  Controller()(TokenController);
  return TokenController;
}

/** Returns the four properties of the framework's request that an adapter passes to a library. */
export function rawOf({ method, headers, query, body }) {
  return { method, headers, query: query ?? {}, body: body ?? {} };
}

export function setHeaders(reply, headers) {
  for (const name in headers) {
    if (reply.code) reply.header(name, headers[name]);
    else reply.setHeader(name, headers[name]);
  }
}

/** Applies decorators as functions, as a compiler does for `@Get('guarded') read() {}`. */
function decorate(type, method, decorators, parameters = []) {
  parameters.forEach((decorator, index) => decorator(type.prototype, method, index));
  const descriptor = Object.getOwnPropertyDescriptor(type.prototype, method);
  for (const decorator of decorators) decorator(type.prototype, method, descriptor);
}
