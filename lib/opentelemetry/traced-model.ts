import { type Attributes, type Span, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { wireCode } from '../http/error-response.js';
import { OAuthError } from '../errors/index.js';
import { isThenable } from '../model/coroutine.js';
import type { Model } from '../model/model.js';

type AnyFunction = (...args: unknown[]) => unknown;

/** A model each call of which is a span. What it calls of itself is its own business. */
export function tracedModel(model: Model, tracer: Tracer, always: Attributes): Model {
  const made = new Map<PropertyKey, { value: unknown; call: AnyFunction }>();
  // Not a proxy of the model itself: of a frozen object, nothing but its own methods may be answered.
  return new Proxy({} as Model, {
    get(_, key) {
      const value: unknown = Reflect.get(model, key, model);
      if (typeof value !== 'function' || typeof key !== 'string' || key === 'constructor') return value;
      let method = made.get(key);
      if (method?.value !== value) {
        const attributes = { ...always, 'oauth2.model.method': key };
        const call: AnyFunction = (...args) =>
          tracer.startActiveSpan(`oauth2.model.${key}`, { attributes }, (span) =>
            endWithSpan(span, () => (value as AnyFunction).apply(model, args)),
          );
        made.set(key, (method = { value, call }));
      }
      return method.call;
    },
    has: (_, key) => key in model,
    set: (_, key, value) => Reflect.set(model, key, value, model),
    getPrototypeOf: () => Reflect.getPrototypeOf(model),
  });
}

/** Calls a method, and ends the span when it has answered: at once, or later. */
function endWithSpan(span: Span, call: () => unknown): unknown {
  try {
    const answer = call();
    if (!isThenable(answer)) return end(span, answer);
    return Promise.resolve(answer).then(
      (value) => end(span, value),
      (error: unknown) => fail(span, error),
    );
  } catch (error) {
    return fail(span, error);
  }
}

function end<T>(span: Span, value: T): T {
  span.end();
  return value;
}

/** Of the host's own errors the class is told, and never the text: nobody knows what is in it. */
function fail(span: Span, error: unknown): never {
  const isRefusal = error instanceof OAuthError && error.code < 500;
  span.setAttribute('error.type', error instanceof OAuthError ? wireCode(error) : classOf(error));
  if (!isRefusal) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
  throw error;
}

const classOf = (error: unknown) => (error instanceof Error && error.constructor.name) || '_OTHER';
