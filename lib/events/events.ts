import { EventEmitter } from 'node:events';
import { errorResponse } from '../http/error-response.js';
import { OAuthError } from '../errors/index.js';
import type { OAuth2Event, OAuth2EventName, OAuth2Events, RefusalEvent } from './catalog.js';
import { isThenable } from '../model/coroutine.js';

/** The payload of an event without `at` and `server`, which are added when it is emitted. */
export type EventDetails<E extends OAuth2Event = OAuth2Event> = Omit<E, 'at' | 'server'>;

/** The receiver of events, such as a Node.js `EventEmitter`. */
export interface EventSink {
  emit(name: string, payload: object): unknown;
  /**
   * Whether the sink wants the event with this name. It is called before a payload is created. If omitted, all events
   * are emitted.
   */
  wants?(name: string): boolean;
}

/**
 * Whether the sink receives an event. `wants()` of the sink decides if it exists. An `EventEmitter` must have a
 * listener for it. Any other sink receives all events.
 */
export function hasListener(events: EventSink | undefined, name: OAuth2EventName): events is EventSink {
  if (!events) return false;
  if (typeof events.wants === 'function') return askSink(events, name);
  return !isEmitter(events) || events.listenerCount(name) > 0;
}

/**
 * Calls `wants()` of a sink. If it throws, the event is not emitted and the process emits a warning, but the response
 * does not change.
 */
function askSink(events: EventSink, name: string): boolean {
  try {
    const result: unknown = events.wants!(name);
    if (isThenable(result)) result.then(undefined, (error: unknown) => warn(name, error));
    return Boolean(result);
  } catch (error) {
    warn(name, error);
    return false;
  }
}

/** Emits an event with the current time. The failure of a listener neither changes a response nor ends the process. */
export function reportEvent<N extends OAuth2EventName>(
  events: EventSink,
  name: N,
  details: EventDetails<OAuth2Events[N]>,
): void {
  emitEvent(events, name, { at: new Date(), ...details });
}

/**
 * Emits an event with a complete payload. The failure of a listener neither changes a response nor ends the process.
 */
export function emitEvent(events: EventSink, name: string, payload: object): void {
  if (!isEmitter(events)) return callListener(name, () => emitAwaitable(events, name, payload));
  // `EventEmitter.emit()` discards the promises of its listeners. Calling the listeners here lets their rejections be
  // caught.
  for (const listener of events.rawListeners(name)) callListener(name, () => listener.call(events, payload) as unknown);
}

/**
 * Emits an event by `emitAsync()` if the sink has it, otherwise by `emit()`. `EventEmitter2` of `@nestjs/event-emitter`
 * returns the promises of its listeners from `emitAsync()` only.
 */
function emitAwaitable(events: EventSink & { emitAsync?: unknown }, name: string, payload: object): unknown {
  if (typeof events.emitAsync !== 'function') return events.emit(name, payload);
  return (events as { emitAsync: EventSink['emit'] }).emitAsync(name, payload);
}

/** Combines several event sinks into one. Returns `undefined` for an empty list. */
export function combineSinks([first, ...others]: readonly EventSink[]): EventSink | undefined {
  if (!first || others.length === 0) return first;
  const sinks = [first, ...others];
  return {
    wants: (name) => sinks.some((sink) => hasListener(sink, name as OAuth2EventName)),
    emit(name, payload) {
      for (const sink of sinks) if (hasListener(sink, name as OAuth2EventName)) emitEvent(sink, name, payload);
    },
  };
}

/** Calls a listener of an event. If it fails, the process emits a warning. */
export function callListener(name: string, call: () => unknown): void {
  try {
    const result = call();
    if (isThenable(result)) result.then(undefined, (error: unknown) => warn(name, error));
  } catch (error) {
    warn(name, error);
  }
}

/** Whether the sink is a Node.js `EventEmitter` whose `emit()` is not overridden. */
const isEmitter = (events: EventSink): events is EventEmitter =>
  events instanceof EventEmitter && events.emit === EventEmitter.prototype.emit;

function warn(name: string, error: unknown): void {
  const reason = error instanceof Error ? error.message : typeof error;
  process.emitWarning(`A listener of \`${name}\` failed: ${reason}`);
}

/**
 * Returns the payload of a refusal event: the details of the request, the error that is returned to the client, and the
 * reason.
 */
function refusalEvent(error: OAuthError, details: EventDetails): EventDetails<RefusalEvent> {
  const { error: code, error_description: description } = errorResponse(error);
  return { ...details, error: code, description, status: error.code, ...OAuthError.detailOf(error) };
}

/**
 * Emits why a request was refused, if the event has listeners. Errors with status 500 or above are not refusals: they
 * are logged instead.
 */
export function reportRefusal(
  events: EventSink | undefined,
  name: OAuth2EventName,
  error: OAuthError,
  details: () => EventDetails,
): void {
  if (error.code >= 500 || !hasListener(events, name)) return;
  reportEvent(events, name as 'token.refused', refusalEvent(error, details()));
}

/** Returns the name of the event for a request that is refused at an endpoint, or at a protected `resource`. */
export function refusalEventName(endpoint: string): OAuth2EventName {
  if (endpoint === 'authorize') return 'authorization.refused';
  if (endpoint === 'resource') return 'access.refused';
  return endpoint === 'token' ? 'token.refused' : 'endpoint.refused';
}

/**
 * Emits the refusal of a request that was rejected before it reached the engine, such as one with an unreadable body.
 */
export function reportEndpointRefusal(events: EventSink | undefined, details: EventDetails, error: OAuthError): void {
  reportRefusal(events, refusalEventName(details.endpoint), error, () => details);
}

/** Returns a text from a request, shortened for a log line. `undefined` if the value is not a text. */
export function shortText(value: unknown, maxLength = MAX_LENGTH): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.length <= maxLength ? value : `${value.slice(0, maxLength)}…`;
}

const MAX_LENGTH = 500;
