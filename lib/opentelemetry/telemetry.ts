import { type Attributes, SpanStatusCode, trace } from '@opentelemetry/api';
import { isSignInPending } from '../endpoints/authorization/authorization-events.js';
import { wireCode } from '../http/error-response.js';
import { toOAuthError } from '../errors/index.js';
import type { Instrumentation, RunningOperation } from '../contracts/instrumentation.js';
import { assertKnownOptions } from '../options/unknown-option.js';
import { findClaimedClientId } from '../clients/presented-credentials.js';
import { shortText } from '../events/events.js';
import { Instruments } from './instruments.js';
import { tracedModel } from './traced-model.js';

/** The options of `telemetry()`. */
export interface TelemetryOptions {
  /** Attributes to add to every span and metric, such as the name of the server. Default: `{}`. */
  attributes?: Attributes;
  /** Whether each call of a model method has its own span within the span of the operation. Default: `true`. */
  model?: boolean;
}

/**
 * Returns traces and metrics by `@opentelemetry/api`, to be passed in the option `instrumentation`: a span for each
 * operation, with the calls of the model as its children, a histogram of durations, and a counter of events. They
 * contain no data of requests except client IDs.
 */
export function telemetry(options: TelemetryOptions = {}): Instrumentation {
  assertKnownOptions(options, { attributes: true, model: true }, '`telemetry()`');
  const { attributes: always = {}, model: tracesModel = true } = options;
  const tracer = trace.getTracer('nest-oauth2');
  const instruments = new Instruments(always);
  return {
    around(operation, run) {
      if (WITHOUT_SPAN.has(operation.name)) return run();
      const began = performance.now();
      const metricAttributes = attributesOf(operation);
      const client = clientOf(operation);
      const attributes: Attributes = { ...always, ...metricAttributes };
      if (client !== undefined) attributes['oauth2.client_id'] = client;
      return tracer.startActiveSpan(`oauth2.${operation.name}`, { attributes }, async (span) => {
        let outcome: Attributes = OK;
        try {
          const result = await run();
          const known = clientOf(operation, result);
          if (known !== undefined) span.setAttribute('oauth2.client_id', known);
          return result;
        } catch (error) {
          outcome = outcomeOf(error);
          if (outcome['oauth2.outcome'] === 'fault') span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.setAttributes(outcome);
          span.end();
          instruments.duration((performance.now() - began) / 1000, { ...metricAttributes, ...outcome });
        }
      });
    },
    ...(tracesModel && { wrapModel: (model) => tracedModel(model, tracer, always) }),
    events: { emit: (name) => instruments.count(name) },
  };
}

/** Phases without a span of their own. They run between the spans of `authorize.read` and `authorize.decide`. */
const WITHOUT_SPAN = new Set(['authorize.scope', 'authorize.interaction']);

const OK: Attributes = { 'oauth2.outcome': 'ok' };

function attributesOf(operation: RunningOperation): Attributes {
  const metricAttributes: Attributes = { 'oauth2.operation': operation.name };
  const grantType = grantTypeOf(operation);
  if (grantType !== undefined) metricAttributes['oauth2.grant_type'] = grantType;
  return metricAttributes;
}

/**
 * Returns the grant type of a token request. Unsupported ones are reported as `_OTHER`, so that clients cannot increase
 * the metric cardinality.
 */
function grantTypeOf({ name, request, server }: RunningOperation): string | undefined {
  if (name !== 'token') return undefined;
  const { grant_type: grantType } = (request.body ?? {}) as Record<string, unknown>;
  if (typeof grantType !== 'string') return undefined;
  const { extendedGrantTypes } = server.options;
  return server.grants.has(grantType) || Object.hasOwn(extendedGrantTypes, grantType) ? grantType : '_OTHER';
}

/**
 * Returns the client ID. At a protected resource, it is that of the token, once verified. At other endpoints, it is the
 * unverified ID in the request.
 */
function clientOf({ name, request, server }: RunningOperation, result?: unknown): string | undefined {
  if (name === 'authenticate') return shortText((result as { client?: { id?: unknown } } | undefined)?.client?.id);
  if (result !== undefined) return undefined;
  return findClaimedClientId(request, server.clientAuthentications) ?? shortText(request.query?.['client_id']);
}

/** Returns the attributes for a failed operation. A refused request is an expected outcome, a server error is not. */
function outcomeOf(error: unknown): Attributes {
  const failure = toOAuthError(error);
  if (isSignInPending(failure)) return OK;
  return { 'oauth2.outcome': failure.code < 500 ? 'refused' : 'fault', 'error.type': wireCode(failure) };
}
