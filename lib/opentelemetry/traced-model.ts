import { type Attributes, type Span, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { wireCode } from '../http/error-response.js';
import { OAuthError } from '../errors/index.js';
import { isThenable } from '../model/coroutine.js';
import type { Model } from '../model/model.js';

type AnyFunction = (...args: unknown[]) => unknown;

/**
 * Wraps a model so that each call of one of its methods has a span. Calls between methods of the model are not traced.
 */
export function tracedModel(model: Model, tracer: Tracer, commonAttributes: Attributes): Model {
  const made = new Map<PropertyKey, { value: unknown; call: AnyFunction }>();
  // The proxy target is an empty object, because a proxy of a frozen model could not return wrapped methods.
  return new Proxy({} as Model, {
    get(_, key) {
      const value: unknown = Reflect.get(model, key, model);
      if (typeof value !== 'function' || typeof key !== 'string' || key === 'constructor') return value;
      let method = made.get(key);
      if (method?.value !== value) {
        const attributes = { ...commonAttributes, 'oauth2.model.method': key };
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

/** Calls a method, and ends its span when the method has returned or its promise is settled. */
function endWithSpan(span: Span, call: () => unknown): unknown {
  try {
    const result = call();
    if (!isThenable(result)) return end(span, result);
    return Promise.resolve(result).then(
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

/**
 * Ends a span with the error of a model method. For errors of the application, only the class is recorded, because the
 * message may contain secrets.
 */
function fail(span: Span, error: unknown): never {
  const isRefusal = error instanceof OAuthError && error.code < 500;
  span.setAttribute('error.type', error instanceof OAuthError ? wireCode(error) : classOf(error));
  if (!isRefusal) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
  throw error;
}

const classOf = (error: unknown) => (error instanceof Error && error.constructor.name) || '_OTHER';
