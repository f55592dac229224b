import type { HttpServer } from '@nestjs/common';
import { FORM, isForm } from '../lib/http/media-type.js';
import { InvalidRequestError, type Response } from '../lib/index.js';
import { FORM_LIMIT, parseForm } from './form-body.js';
import { type NativeReply, type NativeRequest, refusal, sendOAuthResponse } from './http-adapter.js';
import type { OAuth2Paths } from './interfaces/oauth2-module-options.interface.js';

interface Express {
  use(
    handler: (error: unknown, request: NativeRequest, reply: NativeReply, next: (error: unknown) => void) => void,
  ): void;
}

interface Route {
  url: string;
  bodyLimit?: number;
  errorHandler?: (error: unknown, request: NativeRequest, reply: NativeReply) => void;
}

type Done = (error: Error | null, body?: unknown) => void;

interface Fastify {
  addHook(name: 'onRoute', hook: (route: Route) => void): void;
  register(plugin: (instance: Fastify, options: unknown, done: () => void) => void): unknown;
  hasContentTypeParser(type: string): boolean;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'string'; bodyLimit: number },
    parser: (request: unknown, body: string, done: Done) => void,
  ): void;
}

/**
 * Sees to it that the endpoints get their forms, and that a body which cannot be read is refused as OAuth has it.
 * Body parsers run before any controller, so this is told to the platform itself, before the routes are made.
 */
export function prepareBodies(adapter: HttpServer, paths: OAuth2Paths): void {
  const isOurs = pathMatcher(Object.values(paths));
  const platform = adapter.getType?.();
  if (platform === 'express') prepareExpress(adapter.getInstance() as Express, isOurs);
  if (platform === 'fastify') prepareFastify(adapter.getInstance() as Fastify, isOurs);
}

function prepareExpress(express: Express, isOurs: (url: string) => boolean): void {
  express.use((error, request, reply, next) => {
    const response = isOurs(request.originalUrl ?? '') ? bodyRefusal(error, request) : undefined;
    if (response) sendOAuthResponse(response, reply);
    else next(error);
  });
}

function prepareFastify(fastify: Fastify, isOurs: (url: string) => boolean): void {
  fastify.addHook('onRoute', (route) => {
    if (!isOurs(route.url)) return;
    route.bodyLimit ??= FORM_LIMIT;
    route.errorHandler ??= (error, request, reply) => {
      const response = bodyRefusal(error, request);
      if (!response) throw error;
      sendOAuthResponse(response, reply);
    };
  });
  // Registered, so that the host's own plugins come first: two parsers of one type are an error.
  fastify.register(Object.assign(addFormParser, { [Symbol.for('skip-override')]: true }));
}

function addFormParser(fastify: Fastify, _options: unknown, done: () => void): void {
  if (!fastify.hasContentTypeParser(FORM)) {
    const options = { parseAs: 'string', bodyLimit: FORM_LIMIT } as const;
    fastify.addContentTypeParser(FORM, options, (_request, body, parsed) => parsed(null, parseForm(body)));
  }
  done();
}

/** The answer to a body that a parser failed on; undefined for any other error. */
function bodyRefusal(error: unknown, request: NativeRequest): Response | undefined {
  const { status, statusCode = status } = (error ?? {}) as { status?: unknown; statusCode?: unknown };
  if (statusCode !== 400 && statusCode !== 413 && statusCode !== 415) return undefined;
  const form = isForm(request.headers['content-type']) ? 'content cannot be read' : `content must be ${FORM}`;
  const reason = statusCode === 413 ? 'content is too large' : form;
  return refusal(new InvalidRequestError(`Invalid request: ${reason}`, { code: statusCode === 413 ? 413 : 400 }));
}

/** Does a URL end in one of these routes? What a global prefix or a RouterModule puts before them is not known here. */
function pathMatcher(paths: string[]): (url: string) => boolean {
  const routes = paths.map((path) => segments(path).map(segmentPattern).join('/'));
  const pattern = new RegExp(`/(?:${routes.join('|')})/?$`, 'i');
  return (url) => pattern.test(url.split('?', 1)[0]!);
}

const segments = (path: string) => path.split('/').filter(Boolean);

const segmentPattern = (segment: string) =>
  segment.startsWith(':') ? '[^/]+' : segment.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
