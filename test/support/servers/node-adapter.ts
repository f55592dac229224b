import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type HttpMessage,
  documentPaths,
  errorMembers,
  handleEndpoint,
  isDocument,
  parseForm,
  readContent,
  serializeBody,
  toOAuthError,
} from 'nest-oauth2/adapter';
import { type AuthenticateOptions, type OAuth2Server, Request, Response, type Token } from 'nest-oauth2/server';
import type { Endpoint } from 'nest-oauth2/features';

/** A route of an API that requires an access token. */
export interface GuardedRoute {
  readonly requirements: AuthenticateOptions;
  handle(token: Token, request: Request): unknown;
}

/** The parts of an application without a web framework. */
export interface Application {
  readonly server: OAuth2Server;
  /**
   * Asks the user for consent and writes the response of the authorization endpoint. If omitted, the
   * `authenticateHandler` returns the user.
   */
  authorize?(request: Request, response: Response): Promise<unknown>;
  /** The routes of the API by method and path, for example `GET /notes`. */
  readonly routes?: Readonly<Record<string, GuardedRoute>>;
}

type Message = IncomingMessage & HttpMessage;

/** An endpoint of the server with its name. */
interface NamedEndpoint {
  readonly name: string;
  readonly endpoint: Endpoint;
}

/** Returns a `node:http` listener for all endpoints of a server and the guarded routes of an application. */
export function listenerOf(application: Application): RequestListener {
  const { server } = application;
  const endpoints = endpointsByPath(server);
  return (incoming, reply) => {
    const message = incoming as Message;
    const [path] = decodedUrl(message);
    const endpoint = endpoints.get(path);
    const responding = endpoint
      ? respondFromEndpoint(message, endpoint, application)
      : respondFromRoute(message, path, application);
    void responding.then((response) => send(response, reply));
  };
}

/** Returns the endpoints by path and reports the paths to the server. */
function endpointsByPath(server: OAuth2Server): Map<string, NamedEndpoint> {
  const { endpoints, options } = server.context;
  const entries = [...endpoints].flatMap(([name, endpoint]) => {
    const paths = isDocument(endpoint) ? documentPaths(endpoint, options.issuer) : [`/${endpoint.path}`];
    return paths.map((path) => [path, { name, endpoint }] as const);
  });
  server.mount(Object.fromEntries(entries.map(([path, { name }]) => [name, path])));
  return new Map(entries);
}

async function respondFromEndpoint(message: Message, { name, endpoint }: NamedEndpoint, application: Application) {
  const { server, authorize } = application;
  const context = { name, endpoint, cors: server.context.options.cors, events: server.events };
  const { response } = await handleEndpoint(message, context, async (written) => {
    const request = requestOf(message);
    if (name === 'authorize' && authorize) return authorize(request, written);
    return server.handle(name, request, written);
  });
  // With status 302, a browser may repeat the posted form at the redirect target. RFC 9700 §4.12
  if (message.method === 'POST' && response.status === 302) response.status = 303;
  return response;
}

async function respondFromRoute(
  message: Message,
  path: string,
  { server, routes = {} }: Application,
): Promise<Response> {
  const response = new Response();
  const route = routes[`${message.method} ${path}`];
  try {
    if (!route) {
      response.status = 404;
      return response;
    }
    const token = await server.authenticate(requestOf(message), response, route.requirements);
    await readContent(message, { content: 'json' });
    response.body = (await route.handle(token, requestOf(message))) as object;
  } catch (error) {
    const failure = toOAuthError(error);
    response.status = failure.status;
    response.body = errorMembers(failure);
  }
  return response;
}

const decodedUrl = ({ url = '/' }: IncomingMessage): [path: string, query: string] => {
  const [path = '', query = ''] = url.split('?', 2);
  return [path, query];
};

function requestOf(message: Message): Request {
  const { method, headers, body } = message;
  return new Request({ method, headers, query: parseForm(decodedUrl(message)[1]), body, native: message });
}

function send(response: Response, reply: ServerResponse): void {
  const body = serializeBody(response);
  reply.statusCode = response.status;
  for (const [name, value] of Object.entries(response.headers)) reply.setHeader(name, value);
  reply.end(body);
}

/** A running HTTP server on a free port. */
export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts an HTTP server on a free port. `make` creates the application once the URL is known. */
export async function startNode(make: (url: string) => Application): Promise<RunningServer> {
  const http: Server = createServer();
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  http.on('request', listenerOf(make(url)));
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}
