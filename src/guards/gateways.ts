import type { ExecutionContext, Type } from '@nestjs/common';
import type { ApplicationConfig, ModulesContainer } from '@nestjs/core';

import { toOAuthError } from '../../lib/internal.js';
import { logServerError } from '../operations/error-log.js';
import { isOAuthGuard, type OAuthGuard } from './oauth.guard.js';
import type { UpgradeRequest } from './transports/handshake.js';
import { type OAuthRefusal, refusalPayload } from './transports/refusal-payload.js';
import { type GatewayClient, rememberUpgrade, disconnect } from './transports/ws.js';

/** The metadata key of `@WebSocketGateway()`. */
const GATEWAY_METADATA = 'websockets:is_gateway';
/** The metadata key of `@UseGuards()`. */
const GUARDS_METADATA = '__guards__';

type ConnectionHandler = (client: GatewayClient, ...rest: unknown[]) => unknown;
interface Gateway {
  handleConnection?: (this: unknown, ...args: Parameters<ConnectionHandler>) => unknown;
}

const prepared = new WeakSet<object>();

/**
 * Guards the handshakes of gateways, for which Nest calls no guards, as if `handleConnection()` handled a message. Nest
 * requests its WebSocket adapter after it has made all gateways and before any client connects, so the gateways are
 * prepared then.
 */
export function guardGateways(config: ApplicationConfig, modules: ModulesContainer): void {
  if (prepared.has(config)) return;
  prepared.add(config);
  const getIoAdapter = config.getIoAdapter.bind(config);
  config.getIoAdapter = () => {
    for (const module of modules.values()) {
      for (const { instance, metatype } of module.providers.values()) {
        if (typeof metatype !== 'function' || !Reflect.getMetadata(GATEWAY_METADATA, metatype)) continue;
        if (!instance || prepared.has(instance)) continue;
        prepared.add(instance);
        prepareGateway(instance, metatype as Type, {
          findInModule: (guard) => module.injectables.get(guard)?.instance as OAuthGuard | undefined,
          global: config.getGlobalGuards(),
        });
      }
    }
    return rememberUpgrades(getIoAdapter() as Adapter | undefined) as ReturnType<typeof getIoAdapter>;
  };
}

interface Adapter {
  bindClientConnect(server: unknown, connected: ConnectionHandler): unknown;
}

/**
 * Stores the HTTP request of each `ws` connection. Request-scoped gateways depend on it: their `handleConnection()` is
 * not guarded, but their messages are.
 */
function rememberUpgrades(adapter: Adapter | undefined): Adapter | undefined {
  if (!adapter || prepared.has(adapter)) return adapter;
  prepared.add(adapter);
  const bind = adapter.bindClientConnect.bind(adapter);
  adapter.bindClientConnect = (server, connected) =>
    bind(server, (client, ...rest) => {
      const [upgrade] = rest as [UpgradeRequest | undefined];
      if (upgrade?.headers) rememberUpgrade(client, upgrade);
      return connected(client, ...rest);
    });
  return adapter;
}

interface Guards {
  findInModule: (guard: Type) => OAuthGuard | undefined;
  global: readonly unknown[];
}

function prepareGateway(gateway: Gateway, metatype: Type, { findInModule: ofModule, global: ofAll }: Guards): void {
  const handler = gateway.handleConnection ?? nothing;
  const named = [metatype, handler].flatMap((one): unknown[] => Reflect.getMetadata(GUARDS_METADATA, one) ?? []);
  const guards = [...ofAll, ...named]
    .filter(isOAuthGuard)
    .map((guard) => (typeof guard === 'function' ? ofModule(guard as Type) : (guard as OAuthGuard)));
  gateway.handleConnection = (client, ...rest) => {
    const go = () => handler.call(gateway, client, ...rest);
    if (guards.length === 0) return go();
    return admit(guards, handshakeOf(client, metatype, handler)).then((refused) =>
      refused ? disconnect(client, refused) : go(),
    );
  };
}

/**
 * Calls the guards for a handshake. Returns the refusal of the first one that rejects it, or `undefined` if all accept
 * it.
 */
async function admit(
  guards: readonly (OAuthGuard | undefined)[],
  context: ExecutionContext,
): Promise<OAuthRefusal | undefined> {
  try {
    for (const guard of guards) await guard?.canActivate(context);
    return undefined;
  } catch (error) {
    const refusal = (error as { getError?(): unknown }).getError?.() as OAuthRefusal | undefined;
    if (typeof refusal?.statusCode === 'number') return refusal;
    const failure = toOAuthError(error);
    logServerError(failure);
    return refusalPayload(failure);
  }
}

/** Returns the execution context of a handshake, which guards handle like a message without data. */
function handshakeOf(client: GatewayClient, metatype: Type, handler: object): ExecutionContext {
  const args = [client, undefined, undefined];
  return {
    getType: () => 'ws' as never,
    getClass: () => metatype as never,
    getHandler: () => handler as never,
    getArgs: () => args as never,
    getArgByIndex: (index: number) => args[index] as never,
    switchToWs: () => ({ getClient: () => client as never, getData: nothing, getPattern: () => '' }),
    switchToRpc: () => ({ getData: nothing, getContext: nothing }),
    switchToHttp: () => ({ getRequest: nothing, getResponse: nothing, getNext: nothing }),
  };
}

const nothing = () => undefined as never;
