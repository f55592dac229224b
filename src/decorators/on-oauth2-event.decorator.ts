import type { OAuth2EventName, OAuth2Events } from '../../lib/index.js';

/** The metadata key of `@OnOAuth2Event()`. */
const ON_OAUTH2_EVENT_METADATA = 'nest-oauth2:on-event';

/** The options of `@OnOAuth2Event()`. */
export interface OnOAuth2EventOptions {
  /** The name of the server whose events are received. If omitted, the method receives the events of all servers. */
  server?: string;
}

/** One `@OnOAuth2Event()` of a method: the name of the event that the method listens to, and the options. */
export interface EventSubscription extends OnOAuth2EventOptions {
  name: OAuth2EventName | '*';
}

/** The names of the events that a listener receives: `*` stands for all of them. */
type NamesOf<N extends OAuth2EventName | '*'> = N extends OAuth2EventName ? N : OAuth2EventName;

/**
 * Calls a method of a provider or controller for each event with this name, or for every event if the name is `*`. The
 * method receives the payload and the name of the event. It may have several of these decorators. The OAuth response
 * waits for synchronous listeners; a listener that fails does not change it.
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

/** Returns the name and options of each `@OnOAuth2Event()` of a method. Empty if the method has none. */
export function readSubscriptions(method: unknown): readonly EventSubscription[] {
  if (typeof method !== 'function') return [];
  return (Reflect.getMetadata(ON_OAUTH2_EVENT_METADATA, method) as EventSubscription[] | undefined) ?? [];
}
