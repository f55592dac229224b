import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Scope } from '@nestjs/common';
import { type Around, capability, type OAuth2Server, type Request, type ServerContext } from '../../lib/index.js';

/** Which request is answered, and by whom. */
interface CurrentRequest {
  readonly request: Request;
  readonly server: string | undefined;
  readonly issuer: string | undefined;
  readonly tenant: string | undefined;
  readonly runningOn: ServerContext;
}

let storage: AsyncLocalStorage<CurrentRequest> | undefined;

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

  /** The tenant of the request. `undefined` if the server has no tenants. */
  get tenant(): string | undefined {
    return storage?.getStore()?.tenant;
  }
}

/** Whether an `OAuth2Context` exists. */
export const isContextUsed = (): boolean => storage !== undefined;

/** The names of a server. */
export interface ServerNames {
  readonly name: string | undefined;
  readonly tenant?: string | undefined;
}

/** The names of a server that the module has made. */
export const SERVER_NAMES = capability<ServerNames>('server names', 'OAuth2Module');

/** Runs every operation of a server with its request in the context. */
export const requestContext: Around<OAuth2Server> = ({ server, request }, run) =>
  withContext(server, request, () => run());

/** Runs with the request in the context, if an `OAuth2Context` exists and the module has made the server. */
export function withContext<T>(server: ServerContext | undefined, request: Request, run: () => T): T {
  // A server that a test has replaced may have no facts.
  const names = storage && server?.find(SERVER_NAMES);
  if (!names || isUnderWay(server!, request)) return run();
  const { name, tenant } = names;
  const issuer = server!.issuerOf(request);
  return storage!.run({ request, server: name, issuer, tenant, runningOn: server! }, run);
}

/** Whether the same server already runs an operation for this request. A request that was pushed before has no native request. */
function isUnderWay(server: ServerContext, { native }: Request & { native?: unknown }): boolean {
  const outer = storage!.getStore();
  return outer?.runningOn === server && (native === undefined || outer.request['native'] === native);
}
