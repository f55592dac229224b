import type { HttpServer } from '@nestjs/common';
import {
  CONTENT_LIMIT,
  CONTENT_TYPES,
  createErrorResponse,
  mediaType,
  parseForm,
  reportEndpointRefusal,
} from '../../lib/adapter/index.js';
import { InvalidRequestError, type OAuthError } from '../../lib/index.js';
import { overridesApplicationCors, sendWithCorsHeaders, type EndpointSettings } from './cross-origin.js';
import type { Endpoint, FindEndpoint } from './endpoint.js';
import type { NativeRequest } from './http-adapter.js';
import { type NativeReply, removeHeaders } from './native-reply.js';

interface Express {
  use(
    handler: (error: unknown, request: NativeRequest, reply: NativeReply, next: (error: unknown) => void) => void,
  ): void;
}

interface Route {
  url: string;
  bodyLimit?: number;
  config?: object;
  onSend?: Hook | Hook[];
  errorHandler?: (error: unknown, request: NativeRequest, reply: NativeReply) => void;
}

type Hook = (request: NativeRequest, reply: NativeReply, payload: unknown, done: () => void) => void;

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
export function prepareBodies(adapter: HttpServer, findEndpoint: FindEndpoint, settings: EndpointSettings): void {
  const bodies: BodyHandling = {
    findEndpoint,
    settings,
    refuse(error, native, reply) {
      const endpoint = findEndpoint(native.originalUrl ?? native.url ?? '');
      const failure = endpoint && bodyError(error, native, endpoint);
      if (!failure) return false;
      reportEndpointRefusal(settings.events, { endpoint: endpoint.name }, failure);
      sendWithCorsHeaders({ native, reply, endpoint, facts: settings }, createErrorResponse(failure));
      return true;
    },
  };
  const platform = adapter.getType?.();
  if (platform === 'express') prepareExpress(adapter.getInstance() as Express, bodies);
  if (platform === 'fastify') prepareFastify(adapter.getInstance() as Fastify, bodies);
}

interface BodyHandling {
  findEndpoint: FindEndpoint;
  settings: EndpointSettings;
  /** Answers a request whose body a parser failed on; false for any other. */
  refuse(error: unknown, request: NativeRequest, reply: NativeReply): boolean;
}

function prepareExpress(express: Express, bodies: BodyHandling): void {
  express.use((error, request, reply, next) => {
    if (!bodies.refuse(error, request, reply)) next(error);
  });
}

function prepareFastify(fastify: Fastify, bodies: BodyHandling): void {
  fastify.addHook('onRoute', (route) => {
    // A colon that begins no parameter is written twice.
    const endpoint = bodies.findEndpoint(route.url.replaceAll('::', ':'));
    if (!endpoint) return;
    route.bodyLimit ??= CONTENT_LIMIT;
    route.errorHandler ??= (error, request, reply) => {
      if (!bodies.refuse(error, request, reply)) throw error;
    };
    // The word of `@fastify/cors` for "not here".
    if (overridesApplicationCors(endpoint, bodies.settings.cors)) route.config = { ...route.config, cors: false };
    if (!endpoint.cors) route.onSend = [route.onSend ?? [], keepOut].flat();
  });
  // Registered, so that the host's own plugins come first: two parsers of one type are an error.
  fastify.register(Object.assign(addFormParser, { [Symbol.for('skip-override')]: true }));
}

/** Whatever the host's own hooks have put there: they may run after our answer. */
const keepOut: Hook = (_request, reply, _payload, done) => {
  removeHeaders(reply, 'access-control-');
  done();
};

function addFormParser(fastify: Fastify, _options: unknown, done: () => void): void {
  if (!fastify.hasContentTypeParser(CONTENT_TYPES.form)) {
    const options = { parseAs: 'string', bodyLimit: CONTENT_LIMIT } as const;
    fastify.addContentTypeParser(CONTENT_TYPES.form, options, (_request, body, parsed) =>
      parsed(null, parseForm(body)),
    );
  }
  done();
}

/** What is wrong with a body that a parser failed on; undefined for any other error. */
function bodyError(error: unknown, request: NativeRequest, { content = 'form' }: Endpoint): OAuthError | undefined {
  const { status, statusCode = status } = (error ?? {}) as { status?: unknown; statusCode?: unknown };
  if (statusCode !== 400 && statusCode !== 413 && statusCode !== 415) return undefined;
  const wanted = CONTENT_TYPES[content];
  const isWanted = mediaType(request.headers['content-type']) === wanted;
  const fault = isWanted ? 'content cannot be read' : `content must be ${wanted}`;
  const reason = statusCode === 413 ? 'content is too large' : fault;
  return new InvalidRequestError(`Invalid request: ${reason}`, { code: statusCode === 413 ? 413 : 400 });
}
