import type { HttpServer } from '@nestjs/common';
import { FORM, isForm } from '../lib/http/media-type.js';
import { type EventSink, InvalidRequestError, type OAuthError } from '../lib/index.js';
import { reportRefused } from './event-log.js';
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
 * @param findEvents who hears of a refusal, once the application has started
 */
export function prepareBodies(
  adapter: HttpServer,
  paths: OAuth2Paths,
  findEvents: () => EventSink | undefined = () => undefined,
): void {
  const endpoints = Object.entries(paths as unknown as Record<string, string>).map(([endpoint, path]) => ({
    endpoint,
    matches: pathMatcher(path),
  }));
  const bodies: Bodies = {
    isOurs: (url) => endpoints.some(({ matches }) => matches(url)),
    refuse(error, request, reply) {
      const failure = bodyError(error, request);
      const ours = endpoints.find(({ matches }) => matches(request.originalUrl ?? request.url ?? ''));
      if (!failure || !ours) return false;
      reportRefused(findEvents(), { endpoint: ours.endpoint }, failure);
      sendOAuthResponse(refusal(failure), reply);
      return true;
    },
  };
  const platform = adapter.getType?.();
  if (platform === 'express') prepareExpress(adapter.getInstance() as Express, bodies);
  if (platform === 'fastify') prepareFastify(adapter.getInstance() as Fastify, bodies);
}

interface Bodies {
  isOurs(url: string): boolean;
  /** Answers a request whose body a parser failed on; false for any other. */
  refuse(error: unknown, request: NativeRequest, reply: NativeReply): boolean;
}

function prepareExpress(express: Express, bodies: Bodies): void {
  express.use((error, request, reply, next) => {
    if (!bodies.refuse(error, request, reply)) next(error);
  });
}

function prepareFastify(fastify: Fastify, bodies: Bodies): void {
  fastify.addHook('onRoute', (route) => {
    if (!bodies.isOurs(route.url)) return;
    route.bodyLimit ??= FORM_LIMIT;
    route.errorHandler ??= (error, request, reply) => {
      if (!bodies.refuse(error, request, reply)) throw error;
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

/** What is wrong with a body that a parser failed on; undefined for any other error. */
function bodyError(error: unknown, request: NativeRequest): OAuthError | undefined {
  const { status, statusCode = status } = (error ?? {}) as { status?: unknown; statusCode?: unknown };
  if (statusCode !== 400 && statusCode !== 413 && statusCode !== 415) return undefined;
  const form = isForm(request.headers['content-type']) ? 'content cannot be read' : `content must be ${FORM}`;
  const reason = statusCode === 413 ? 'content is too large' : form;
  return new InvalidRequestError(`Invalid request: ${reason}`, { code: statusCode === 413 ? 413 : 400 });
}

/** Does a URL end in this route? What a global prefix or a RouterModule puts before it is not known here. */
function pathMatcher(path: string): (url: string) => boolean {
  const pattern = new RegExp(`/${segments(path).map(segmentPattern).join('/')}/?$`, 'i');
  return (url) => pattern.test(url.split('?', 1)[0]!);
}

const segments = (path: string) => path.split('/').filter(Boolean);

const segmentPattern = (segment: string) =>
  segment.startsWith(':') ? '[^/]+' : segment.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
