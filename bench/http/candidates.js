import { HttpException, Injectable } from '@nestjs/common';
import { requiredScope } from '../fixtures.js';
import { bareTokenController, guardedController, rawOf, setHeaders, tokenController } from './applications.js';

/** The candidates over HTTP: the controllers and imports of a Nest application for each. */
export const served = {
  bare: {
    title: 'Nest alone',
    application: () => ({ controllers: [guardedController(), bareTokenController()] }),
  },
  'do-nothing': {
    title: 'Nest, a guard that only sets two headers',
    application: () => ({ controllers: [guardedController(guardBy(doNothing)), bareTokenController()] }),
  },
  floor: {
    title: 'floor, wired by hand',
    load: () => import('../candidates/floor/index.js'),
    application: byHand,
  },
  'node-oauth': {
    title: '@node-oauth/oauth2-server 5.3.0, wired by hand',
    load: () => import('../candidates/node-oauth.js'),
    application: byHand,
  },
  'nest-oauth2': {
    title: 'nest-oauth2, module and guard',
    load: () => import('nest-oauth2'),
    application: (model, { OAuth2Module, OAuthGuard, Scopes }) => ({
      imports: [OAuth2Module.forRoot({ model })],
      controllers: [guardedController(OAuthGuard, Scopes(requiredScope))],
    }),
  },
};

function byHand(model, candidate) {
  const { authenticate, token } = candidate.create(model);
  return { controllers: [guardedController(guardBy(authenticate)), tokenController(token)] };
}

async function doNothing() {
  return {
    status: 200,
    headers: { 'x-accepted-oauth-scopes': requiredScope, 'x-oauth-scopes': requiredScope },
  };
}

/** Returns a guard that calls a library's check of a request. */
export function guardBy(check) {
  class Guard {
    async canActivate(context) {
      const http = context.switchToHttp();
      const { status, headers, body } = await check(rawOf(http.getRequest()));
      setHeaders(http.getResponse(), headers);
      if (status !== 200) throw new HttpException(body, status);
      return true;
    }
  }
  Injectable()(Guard);
  return Guard;
}
