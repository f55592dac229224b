import { type Attributes, SpanStatusCode, trace } from '@opentelemetry/api';
import { isSignInUnderWay } from '../endpoints/authorization/authorization-events.js';
import { wireCode } from '../http/error-response.js';
import { toOAuthError } from '../errors/index.js';
import type { Feature, Observed } from '../contracts/feature.js';
import { unknownOption } from '../options/unknown-option.js';
import { clientOf, grantTypeOf } from './attributes.js';
import { Instruments } from './instruments.js';
import { observedModel } from './observed-model.js';

export interface TelemetryOptions {
  /** What every span and figure says beside the rest, such as the name of one of several servers. Default: {} */
  attributes?: Attributes;
  /** A span for each call of the model, within that of its operation. Default: true */
  model?: boolean;
}

/**
 * Spans and figures by `@opentelemetry/api`: a span for each operation, with the calls of the model as its children, a
 * histogram of how long operations take, and a counter of events. No text that was sent is among them but client ids.
 */
export function telemetry(options: TelemetryOptions = {}): Feature {
  const { attributes: always = {}, model: tracesModel = true } = options;
  const tracer = trace.getTracer('nest-oauth2');
  const instruments = new Instruments(always);
  return {
    name: 'OpenTelemetry',
    factory: 'telemetry',
    check: () => [unknownOption(options, { attributes: true, model: true }, '`telemetry()`') ?? []].flat(),
    observe(operation, run) {
      const began = performance.now();
      const facts = factsOf(operation);
      const client = clientOf(operation);
      const attributes: Attributes = { ...always, ...facts };
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
          instruments.duration((performance.now() - began) / 1000, { ...facts, ...outcome });
        }
      });
    },
    ...(tracesModel && { observeModel: (model) => observedModel(model, tracer, always) }),
    events: { emit: (name) => instruments.count(name) },
  };
}

const OK: Attributes = { 'oauth2.outcome': 'ok' };

function factsOf(operation: Observed): Attributes {
  const facts: Attributes = { 'oauth2.operation': operation.name };
  const grantType = grantTypeOf(operation);
  if (grantType !== undefined) facts['oauth2.grant_type'] = grantType;
  return facts;
}

/** A refusal is the server at work; a fault is not. */
function outcomeOf(error: unknown): Attributes {
  const failure = toOAuthError(error);
  if (isSignInUnderWay(failure)) return OK;
  return { 'oauth2.outcome': failure.code < 500 ? 'refused' : 'fault', 'error.type': wireCode(failure) };
}
