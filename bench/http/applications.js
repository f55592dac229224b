import 'reflect-metadata';
import { Body, Controller, Get, HttpCode, Module, Post, Req, Res, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';

/** Starts a Nest application of these controllers and imports on a free port, body parsers as Nest sets them up. */
export async function start(platform, { controllers, imports = [] }, port = 0) {
  class Application {}
  Module({ controllers, imports })(Application);
  const adapter = platform === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
  const app = await NestFactory.create(Application, adapter, { logger: false });
  await app.listen(port, '127.0.0.1');
  return app;
}

/** `GET /guarded`, behind a guard where there is one. */
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

/** `POST /oauth/token`, answered by hand with what `answer` says. */
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

/** `POST /oauth/token` of a Nest that reads the form and answers by its own pipeline, and knows nothing of OAuth. */
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

/** What an adapter hands over: these four and nothing else of the framework's request. */
export function rawOf({ method, headers, query, body }) {
  return { method, headers, query: query ?? {}, body: body ?? {} };
}

export function setHeaders(reply, headers) {
  for (const name in headers) {
    if (reply.code) reply.header(name, headers[name]);
    else reply.setHeader(name, headers[name]);
  }
}

/** Decorators as functions: this is what a compiler makes of `@Get('guarded') read() {}`. */
function decorate(type, method, decorators, parameters = []) {
  parameters.forEach((decorator, index) => decorator(type.prototype, method, index));
  const descriptor = Object.getOwnPropertyDescriptor(type.prototype, method);
  for (const decorator of decorators) decorator(type.prototype, method, descriptor);
}
