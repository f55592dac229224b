import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Scope } from '@nestjs/common';

import { MODULE_STATE, takeTurnsBy } from '../../lib/internal.js';
import type { Around, OAuth2Server, Request, ServerContext } from '../../lib/index.js';

/** The request that is being handled, and the server that handles it. */
interface CurrentRequest {
  readonly request: Request;
  readonly server: string | undefined;
  readonly issuer: string | undefined;
  readonly tenant: string | undefined;
  readonly runningOn: ServerContext;
}

let storage: AsyncLocalStorage<CurrentRequest> | undefined;

/**
 * Gives a model, an interaction or a feature access to the current request, without a method parameter. Inject it, or
 * create one where you create your model, before the application starts. Outside of requests all members are
 * `undefined`. If no `OAuth2Context` exists, requests are not tracked, except for those of tenants.
 */
@Injectable({ scope: Scope.TRANSIENT })
export class OAuth2Context {
  constructor() {
    storage ??= new AsyncLocalStorage();
  }

  /** The request of the engine. */
  get request(): Request | undefined {
    return storage?.getStore()?.request;
  }

  /** The request of Express or Fastify. For other transports, an object with its `headers`. */
  get native(): unknown {
    return this.request?.['native'];
  }

  /** The `name` of the server. `undefined` for the default server. */
  get server(): string | undefined {
    return storage?.getStore()?.server;
  }

  /** The issuer of the request. `undefined` if the application has set none. RFC 8414 §2 */
  get issuer(): string | undefined {
    return storage?.getStore()?.issuer;
  }

  /** The tenant of the request. `undefined` if the server has no tenants. */
  get tenant(): string | undefined {
    return storage?.getStore()?.tenant;
  }
}

/** Tracks the requests of tenants, so that those that share a store take turns. No `OAuth2Context` is needed. */
export function trackTenants(): void {
  const tracked = (storage ??= new AsyncLocalStorage());
  takeTurnsBy(() => tracked.getStore()?.runningOn);
}

/** Whether requests are tracked. */
export const isContextUsed = (): boolean => storage !== undefined;

/** Runs every operation of a server with its request available in `OAuth2Context`. */
export const requestContext: Around<OAuth2Server> = ({ server, request }, run) =>
  withContext(server, request, () => run());

/** Runs a function with the request available in `OAuth2Context`, if one exists and the module has made the server. */
export function withContext<T>(server: ServerContext | undefined, request: Request, run: () => T): T {
  // A mock server of a test may have no context.
  const state = storage && server?.find(MODULE_STATE);
  if (!state || isUnderWay(server!, request)) return run();
  const { name, tenant } = state;
  const issuer = server!.issuerOf(request);
  return storage!.run({ request, server: name, issuer, tenant, runningOn: server! }, run);
}

/** Whether the same server already runs an operation for this request. A pushed request has no native request. */
function isUnderWay(server: ServerContext, { native }: Request & { native?: unknown }): boolean {
  const outer = storage!.getStore();
  return outer?.runningOn === server && (native === undefined || outer.request['native'] === native);
}
