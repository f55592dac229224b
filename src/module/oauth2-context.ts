import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Scope } from '@nestjs/common';
import { type AuthorizationRequest, type OAuth2Server, Request } from '../../lib/index.js';

/** Which request is answered, and by whom. */
interface Facts {
  readonly request: Request;
  readonly server: string | undefined;
  readonly issuer: string | undefined;
  readonly tenant: string | undefined;
  readonly by: OAuth2Server;
}

let storage: AsyncLocalStorage<Facts> | undefined;

/**
 * The request that a model, an interaction or a feature is asked for, without a change of their signatures. Inject it, or make one
 * where you make your model: before the application starts. Outside of requests everything is undefined. Nothing is kept of a
 * request where nobody has one.
 */
@Injectable({ scope: Scope.TRANSIENT })
export class OAuth2Context {
  constructor() {
    storage ??= new AsyncLocalStorage();
  }

  /** The request as the engine sees it. */
  get request(): Request | undefined {
    return storage?.getStore()?.request;
  }

  /** The request of Express or Fastify; of other transports what stands for it, with its `headers`. */
  get native(): unknown {
    return this.request?.['native'];
  }

  /** The `name` of the server; undefined: the one without. */
  get server(): string | undefined {
    return storage?.getStore()?.server;
  }

  /** The issuer that is asked; undefined where the host has named none. RFC 8414 §2 */
  get issuer(): string | undefined {
    return storage?.getStore()?.issuer;
  }

  /** The tenant that is asked; undefined where there are none. */
  get tenant(): string | undefined {
    return storage?.getStore()?.tenant;
  }
}

/** Has anybody asked for the request? */
export const isContextWanted = (): boolean => storage !== undefined;

/** By what a server is known. */
export interface ServerNames {
  readonly name: string | undefined;
  readonly tenant?: string | undefined;
}

const known = new WeakMap<object, ServerNames>();

/** From now on whatever this server does is done with its request at hand. */
export function giveContext(server: OAuth2Server, names: ServerNames): void {
  if (known.has(server)) return;
  storage ??= new AsyncLocalStorage();
  known.set(server, names);
  put(server, 'authenticate', (request: Request) => request);
  put(server, 'authorize', (request: Request) => request);
  put(server, 'token', (request: Request) => request);
  put(server, 'readAuthorizationRequest', (request: Request) => request);
  put(server, 'grantableScope', (asked?: AuthorizationRequest) => asked?.request);
  put(server, 'decide', (asked?: AuthorizationRequest) => asked?.request);
  put(server, 'answer', (_endpoint: string, request: Request) => request);
}

/** Runs with the request at hand where this server has been told to, and plainly where not. */
export function withContext<T>(server: OAuth2Server, request: Request, run: () => T): T {
  const names = known.get(server);
  if (!names || isUnderWay(server, request)) return run();
  const { name, tenant } = names;
  const issuer = server.facts.issuerOf(request);
  return storage!.run({ request, server: name, issuer, tenant, by: server }, run);
}

/** What is asked on the way is asked for the request that began it; one that was pushed before has nothing native. */
function isUnderWay(server: OAuth2Server, { native }: Request & { native?: unknown }): boolean {
  const outer = storage!.getStore();
  return outer?.by === server && (native === undefined || outer.request['native'] === native);
}

type Operations =
  'authenticate' | 'authorize' | 'token' | 'readAuthorizationRequest' | 'grantableScope' | 'decide' | 'answer';

function put(server: OAuth2Server, name: Operations, requestOf: (...given: never[]) => Request | undefined): void {
  // A stand-in of a test has what it needs.
  const operation = (server[name] as ((...given: unknown[]) => unknown) | undefined)?.bind(server);
  if (!operation) return;
  const value = (...given: never[]) => {
    const request = requestOf(...given);
    // What is no request is refused by the operation itself.
    return request instanceof Request ? withContext(server, request, () => operation(...given)) : operation(...given);
  };
  Object.defineProperty(server, name, { value, configurable: true, writable: true });
}
