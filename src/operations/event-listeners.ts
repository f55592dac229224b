import type { OnModuleInit } from '@nestjs/common';
import { ContextIdFactory, MetadataScanner, ModuleRef, type ModulesContainer } from '@nestjs/core';

import { callListener, configurationError, nearestName } from '../../lib/internal.js';
import { EVENT_NAMES, type OAuth2EventName } from '../../lib/index.js';
import { registeredServerNames } from '../module/registered-servers.js';
import { type EventSubscription, readSubscriptions } from '../decorators/on-oauth2-event.decorator.js';

type Listener = (payload: object, name: string) => unknown;
type Module = ModulesContainer extends Map<string, infer M> ? M : never;
type Wrapper = Module['providers'] extends Map<unknown, infer W> ? W : never;
type Methods = Record<string, Listener>;

/** The methods of the application that have `@OnOAuth2Event()`. They are found once, when the application starts. */
export class EventListeners implements OnModuleInit {
  private readonly byName = new Map<string, Listener[]>();

  constructor(
    private readonly modules: ModulesContainer,
    /** The name of the server whose events are received. If omitted, the default server. */
    private readonly server?: string,
  ) {}

  /** Whether a method of the application listens to this event or to all events. */
  hasListener(name: OAuth2EventName): boolean {
    return this.byName.size > 0 && (this.byName.has(name) || this.byName.has('*'));
  }

  notify(name: OAuth2EventName, payload: object): void {
    for (const subscribed of [name, '*']) {
      for (const listener of this.byName.get(subscribed) ?? []) callListener(name, () => listener(payload, name));
    }
  }

  /** Registers the listeners. All providers that are not request-scoped exist at this point. */
  onModuleInit(): void {
    const seen = new Set<unknown>();
    for (const module of this.modules.values()) {
      for (const wrapper of module.providers.values())
        this.register(wrapper, seen, (method) => perEvent(wrapper, method));
      for (const wrapper of module.controllers.values()) this.register(wrapper, seen, refuseController);
    }
  }

  private register(wrapper: Wrapper, seen: Set<unknown>, makeListener: (method: ListenerMethod) => Listener): void {
    const { isAlias, isTransient, metatype } = wrapper;
    if (isAlias) return;
    const isSingleton = !isTransient && wrapper.isDependencyTreeStatic();
    const instance: unknown = isSingleton ? wrapper.instance : undefined;
    if (isSingleton && (typeof instance !== 'object' || instance === null || seen.has(instance))) return;
    seen.add(instance);
    // The result of a request-scoped factory is unknown before a request.
    const prototype: unknown = isSingleton ? Object.getPrototypeOf(instance) : !wrapper.inject && metatype?.prototype;
    if (typeof prototype !== 'object' || prototype === null) return;
    for (const method of new MetadataScanner().getAllMethodNames(prototype)) {
      for (const subscription of readSubscriptions((prototype as Methods)[method])) {
        const label = `${prototype.constructor.name}.${method}()`;
        const error = findSubscriptionError(subscription, label, registeredServerNames(this.modules));
        if (error !== undefined) throw configurationError(error);
        if (subscription.server !== undefined && subscription.server !== this.server) continue;
        const listener: Listener = isSingleton
          ? (payload, name) => (instance as Methods)[method]!(payload, name)
          : makeListener({ method, label });
        this.byName.set(subscription.name, [...(this.byName.get(subscription.name) ?? []), listener]);
      }
    }
  }
}

interface ListenerMethod {
  method: string;
  /** The class and method, for error messages. */
  label: string;
}

function findSubscriptionError(
  { name, server }: EventSubscription,
  label: string,
  servers: readonly unknown[],
): string | undefined {
  if (server !== undefined && !servers.includes(server)) {
    return `${label} listens to the server \`${server}\`, but no import of OAuth2Module has this name`;
  }
  if (name === '*' || EVENT_NAMES.includes(name)) return undefined;
  return `${label} listens to the unknown event \`${String(name)}\`: did you mean \`${nearestName(String(name), EVENT_NAMES)}\`?`;
}

/**
 * Returns the listener of a request-scoped or transient provider. Each event gets a new instance, which can inject a
 * request with the member `event`.
 */
function perEvent({ host, token }: Wrapper, { method }: ListenerMethod): Listener {
  return async (event, name) => {
    const moduleRef = host!.getProviderByKey(ModuleRef).instance;
    const context = ContextIdFactory.create();
    moduleRef.registerRequestByContextId({ event }, context);
    const instance = await moduleRef.resolve<Methods>(token as string, context, { strict: true });
    return instance[method]!(event, name);
  };
}

/** Throws because Nest cannot make a request-scoped controller without a request. */
function refuseController({ label }: ListenerMethod): never {
  throw configurationError(
    `${label} listens to events, but its controller is request-scoped: move @OnOAuth2Event() to a method of a provider`,
  );
}
