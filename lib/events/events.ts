import { EventEmitter } from 'node:events';
import { errorResponse } from '../http/error-response.js';
import { OAuthError } from '../errors/index.js';
import type { OAuth2Event, OAuth2EventName, OAuth2Events, RefusalEvent } from './catalog.js';
import { isThenable } from '../model/coroutine.js';

/** The payload of an event without its time and server, which are added when it is emitted. */
export type EventDetails<E extends OAuth2Event = OAuth2Event> = Omit<E, 'at' | 'server'>;

/** Where the server reports what an operator should hear of; an `EventEmitter` of Node will do. */
export interface EventSink {
  emit(name: string, payload: object): unknown;
  /** Does anybody listen to this? Asked before a payload is made, so that what nobody hears costs nothing. */
  wants?(name: string): boolean;
}

/** Whether an event has listeners. */
export function hasListener(events: EventSink | undefined, name: OAuth2EventName): events is EventSink {
  if (!events) return false;
  if (typeof events.wants === 'function') return askSink(events, name);
  return !isEmitter(events) || events.listenerCount(name) > 0;
}

/** One that cannot say what it wants hears nothing: what was issued is issued, and has to be answered. */
function askSink(events: EventSink, name: string): boolean {
  try {
    const answer: unknown = events.wants!(name);
    if (isThenable(answer)) answer.then(undefined, (error: unknown) => warn(name, error));
    return Boolean(answer);
  } catch (error) {
    warn(name, error);
    return false;
  }
}

/** Emits an event with the current time. A listener that fails changes no response and ends no process. */
export function reportEvent<N extends OAuth2EventName>(
  events: EventSink,
  name: N,
  details: EventDetails<OAuth2Events[N]>,
): void {
  emitEvent(events, name, { at: new Date(), ...details });
}

/** Emits an event with its complete payload. A listener that fails changes no response and ends no process. */
export function emitEvent(events: EventSink, name: string, payload: object): void {
  if (!isEmitter(events)) return callListener(name, () => emitAwaitable(events, name, payload));
  // Of an emitter nobody gets to see the promises of its listeners; called here, their failures are caught.
  for (const listener of events.rawListeners(name)) callListener(name, () => listener.call(events, payload) as unknown);
}

/** The `EventEmitter2` of `@nestjs/event-emitter` hands out the promises of its listeners, but not by `emit`. */
function emitAwaitable(events: EventSink & { emitAsync?: unknown }, name: string, payload: object): unknown {
  if (typeof events.emitAsync !== 'function') return events.emit(name, payload);
  return (events as { emitAsync: EventSink['emit'] }).emitAsync(name, payload);
}

/** Several as one. */
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
    const answer = call();
    if (isThenable(answer)) answer.then(undefined, (error: unknown) => warn(name, error));
  } catch (error) {
    warn(name, error);
  }
}

/** An emitter of Node that emits in Node's own way. */
const isEmitter = (events: EventSink): events is EventEmitter =>
  events instanceof EventEmitter && events.emit === EventEmitter.prototype.emit;

function warn(name: string, error: unknown): void {
  const reason = error instanceof Error ? error.message : typeof error;
  process.emitWarning(`A listener of \`${name}\` failed: ${reason}`);
}

/** The payload of a refusal: what is known of the request, what the client hears, and the operator's detail. */
function refusalEvent(error: OAuthError, details: EventDetails): EventDetails<RefusalEvent> {
  const { error: code, error_description: description } = errorResponse(error);
  return { ...details, error: code, description, status: error.code, ...OAuthError.detailOf(error) };
}

/** Tells the operator why a request is refused, if anybody listens. A fault is no refusal: it is the host's to log. */
export function reportRefusal(
  events: EventSink | undefined,
  name: OAuth2EventName,
  error: OAuthError,
  details: () => EventDetails,
): void {
  if (error.code >= 500 || !hasListener(events, name)) return;
  reportEvent(events, name as 'token.refused', refusalEvent(error, details()));
}

/** The event of a request that is refused at this endpoint. */
export function refusalEventName(endpoint: string): OAuth2EventName {
  if (endpoint === 'authorize') return 'authorization.refused';
  return endpoint === 'token' ? 'token.refused' : 'endpoint.refused';
}

/** Reports a request that was rejected before it reached the engine: a body that cannot be read, or a guard of the application. */
export function reportEndpointRefusal(events: EventSink | undefined, details: EventDetails, error: OAuthError): void {
  reportRefusal(events, refusalEventName(details.endpoint), error, () => details);
}

/** What a request says, short enough for a log line; undefined when it is no text. */
export function shortText(value: unknown, maxLength = MAX_LENGTH): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.length <= maxLength ? value : `${value.slice(0, maxLength)}…`;
}

const MAX_LENGTH = 500;
