import type { ExecutionContext, Type } from '@nestjs/common';
import type { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { toOAuthError } from '../../lib/adapter/index.js';
import { logServerError } from '../operations/error-log.js';
import { isOAuthGuard, type OAuthGuard } from './oauth.guard.js';
import type { UpgradeRequest } from './transports/handshake.js';
import { type OAuthRefusal, refusalPayload } from './transports/refusal-payload.js';
import { type GatewayClient, rememberUpgrade, disconnect } from './transports/ws.js';

/** Where `@WebSocketGateway()` leaves its mark. */
const GATEWAY_METADATA = 'websockets:is_gateway';
/** Where `@UseGuards()` leaves its list. */
const GUARDS_METADATA = '__guards__';

type ConnectionHandler = (client: GatewayClient, ...rest: unknown[]) => unknown;
interface Gateway {
  handleConnection?: (this: unknown, ...args: Parameters<ConnectionHandler>) => unknown;
}

const prepared = new WeakSet<object>();

/**
 * Guards the handshake of gateways as if `handleConnection()` handled a message: Nest asks guards for messages alone. It asks
 * for its WebSocket adapter when all gateways are made and none is connected, so that is when they are prepared.
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

/** Where a gateway is made for each request its own `handleConnection()` is not prepared; its messages are guarded all the same. */
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

/** Asks the guards; what they refuse with, if one does. */
async function admit(
  guards: readonly (OAuthGuard | undefined)[],
  context: ExecutionContext,
): Promise<OAuthRefusal | undefined> {
  try {
    for (const guard of guards) await guard?.canActivate(context);
    return undefined;
  } catch (error) {
    const said = (error as { getError?(): unknown }).getError?.() as OAuthRefusal | undefined;
    if (typeof said?.statusCode === 'number') return said;
    const failure = toOAuthError(error);
    logServerError(failure);
    return refusalPayload(failure);
  }
}

/** A handshake as guards look at it: a message without data. */
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
