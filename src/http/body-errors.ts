import type { HttpServer } from '@nestjs/common';

import {
  CONTENT_LIMIT,
  CONTENT_TYPES,
  createErrorResponse,
  isPreflight,
  mediaType,
  parseForm,
  reportEndpointRefusal,
} from '../../lib/internal.js';
import { InvalidRequestError, type OAuthError } from '../../lib/index.js';
import {
  type EndpointSettings,
  keepPreflights,
  overridesApplicationCors,
  sendWithCorsHeaders,
} from './cross-origin.js';
import type { Endpoint, FindEndpoint } from './endpoint.js';
import type { NativeRequest } from './http-adapter.js';
import { type NativeReply, removeHeaders } from './native-reply.js';

interface Express {
  readonly router?: { readonly stack?: Parameters<typeof keepPreflights>[0] };
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
 * Makes the endpoints receive parsed forms, and responds with an OAuth error to requests whose body cannot be parsed.
 * Body parsers run before controllers, so this is registered on Express or Fastify before the routes are made.
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
      sendWithCorsHeaders({ native, reply, endpoint, settings }, createErrorResponse(failure));
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
  /**
   * Responds with an OAuth error if an endpoint's body could not be parsed, and returns `true`. Returns `false` for
   * other errors and URLs.
   */
  refuse(error: unknown, request: NativeRequest, reply: NativeReply): boolean;
}

function prepareExpress(express: Express, bodies: BodyHandling): void {
  // Only the endpoints whose CORS headers replace those of the application.
  keepPreflights(express.router?.stack ?? [], (native) => {
    const endpoint = isPreflight(native) && bodies.findEndpoint(native.originalUrl ?? native.url ?? '');
    return endpoint ? overridesApplicationCors(endpoint, bodies.settings.cors) : false;
  });
  express.use((error, request, reply, next) => {
    if (!bodies.refuse(error, request, reply)) next(error);
  });
}

function prepareFastify(fastify: Fastify, bodies: BodyHandling): void {
  fastify.addHook('onRoute', (route) => {
    // Fastify writes a literal colon as two colons.
    const endpoint = bodies.findEndpoint(route.url.replaceAll('::', ':'));
    if (!endpoint) return;
    route.bodyLimit ??= CONTENT_LIMIT;
    route.errorHandler ??= (error, request, reply) => {
      if (!bodies.refuse(error, request, reply)) throw error;
    };
    // `cors: false` disables `@fastify/cors` for this route.
    if (overridesApplicationCors(endpoint, bodies.settings.cors)) route.config = { ...route.config, cors: false };
    if (!endpoint.cors) route.onSend = [route.onSend ?? [], removeCorsHeaders].flat();
  });
  // Registered as a plugin, so that plugins of the application come first: two parsers for one type are an error.
  fastify.register(Object.assign(addFormParser, { [Symbol.for('skip-override')]: true }));
}

/**
 * Removes CORS headers that hooks of the application have added, because those hooks may run after the response is
 * written.
 */
const removeCorsHeaders: Hook = (_request, reply, _payload, done) => {
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

/** Returns the OAuth error for an error of a body parser. `undefined` for other errors. */
function bodyError(error: unknown, request: NativeRequest, { content = 'form' }: Endpoint): OAuthError | undefined {
  const { status, statusCode = status } = (error ?? {}) as { status?: unknown; statusCode?: unknown };
  if (statusCode !== 400 && statusCode !== 413 && statusCode !== 415) return undefined;
  const expectedType = CONTENT_TYPES[content];
  const isExpectedType = mediaType(request.headers['content-type']) === expectedType;
  const problem = isExpectedType ? 'content cannot be read' : `content must be ${expectedType}`;
  const reason = statusCode === 413 ? 'content is too large' : problem;
  return new InvalidRequestError(`Invalid request: ${reason}`, { code: statusCode === 413 ? 413 : 400 });
}
