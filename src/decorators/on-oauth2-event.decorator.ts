import type { OAuth2EventName, OAuth2Events } from '../../lib/index.js';

/** Where `@OnOAuth2Event()` leaves what a method listens to. */
export const ON_OAUTH2_EVENT_METADATA = 'nest-oauth2:on-event';

export interface OnOAuth2EventOptions {
  /** The name of the server, in an application that has several. Left out: all of them. */
  server?: string;
}

/** What a method listens to. */
export interface EventSubscription extends OnOAuth2EventOptions {
  name: OAuth2EventName | '*';
}

/** The names of the events that a listener hears: `*` is all of them. */
type NamesOf<N extends OAuth2EventName | '*'> = N extends OAuth2EventName ? N : OAuth2EventName;

/**
 * Calls a method of a provider or controller at each event of this name, or of every name, with the payload and the name.
 * It may be said several times of one method. Listeners run while the client waits; one that fails changes no answer.
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

/** What a method listens to, if it does. */
export function readSubscriptions(method: unknown): readonly EventSubscription[] {
  if (typeof method !== 'function') return [];
  return (Reflect.getMetadata(ON_OAUTH2_EVENT_METADATA, method) as EventSubscription[] | undefined) ?? [];
}
