import type { OAuth2EventName, OAuth2Events } from '../../lib/index.js';

/** The metadata key of `@OnOAuth2Event()`. */
export const ON_OAUTH2_EVENT_METADATA = 'nest-oauth2:on-event';

/** The options of `@OnOAuth2Event()`. */
export interface OnOAuth2EventOptions {
  /** The name of the server whose events are received. If omitted, the method receives the events of all servers. */
  server?: string;
}

/** The event that a method of the application listens to. */
export interface EventSubscription extends OnOAuth2EventOptions {
  name: OAuth2EventName | '*';
}

/** The names of the events that a listener receives: `*` stands for all of them. */
type NamesOf<N extends OAuth2EventName | '*'> = N extends OAuth2EventName ? N : OAuth2EventName;

/**
 * Calls a method of a provider or controller for each event with this name, or for every event if the name is `*`. The
 * method receives the payload and the name. It may have several of these decorators. The response waits for synchronous
 * listeners; a listener that fails does not change it.
 */
export function OnOAuth2Event<N extends OAuth2EventName | '*'>(name: N, options: OnOAuth2EventOptions = {}) {
  return <M extends (event: OAuth2Events[NamesOf<N>], name: NamesOf<N>) => unknown>(
    _target: object,
    _key: string | symbol,
    { value }: TypedPropertyDescriptor<M>,
  ): void => {
    const before = readSubscriptions(value);
    Reflect.defineMetadata(ON_OAUTH2_EVENT_METADATA, [...before, { ...options, name }], value as object);
  };
}

/** Returns the events that a method listens to. Empty if it has no `@OnOAuth2Event()`. */
export function readSubscriptions(method: unknown): readonly EventSubscription[] {
  if (typeof method !== 'function') return [];
  return (Reflect.getMetadata(ON_OAUTH2_EVENT_METADATA, method) as EventSubscription[] | undefined) ?? [];
}
