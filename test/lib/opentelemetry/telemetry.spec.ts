import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Attributes, context, metrics, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { introspection, revocation } from 'nest-oauth2/features';
import { telemetry, type TelemetryOptions } from 'nest-oauth2/opentelemetry';
import { type Model, OAuth2Server, Response } from 'nest-oauth2/server';

import { addAccessToken, addCode, CALLBACK, createTestModel, SECRET } from '../../support/models/model.js';
import {
  runOperation,
  authorizeRequest,
  basic,
  FORM,
  formRequest,
  resourceRequest,
  signedIn,
  tokenRequest,
} from '../../support/clients/requests.js';

const PASSWORD = { grant_type: 'password', username: 'alice', password: 'wonderland' };
const spans = new InMemorySpanExporter();
const figures = new InMemoryMetricExporter(AggregationTemporality.DELTA);
const reader = new PeriodicExportingMetricReader({ exporter: figures, exportIntervalMillis: 600_000 });

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
});
beforeEach(() => spans.reset());
afterAll(async () => {
  await reader.shutdown();
  for (const api of [context, trace, metrics]) api.disable();
});

function serverOf(model: Model, options: TelemetryOptions = {}, more: object = {}): OAuth2Server {
  return new OAuth2Server({
    model,
    instrumentation: telemetry(options),
    features: [revocation(), introspection()],
    ...more,
  });
}

/** A span: name, attributes, child spans. */
type Told = [name: string, attributes: Attributes, children?: Told[]];
function tree(parent?: string): Told[] {
  return spans
    .getFinishedSpans()
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
    .map((span) => [span.name, span.attributes, tree(span.spanContext().spanId)]);
}

const child = (method: string): Told => [`oauth2.model.${method}`, { 'oauth2.model.method': method }, []];

describe('a span of telemetry()', () => {
  it('describes a token request, and has the calls of the model as child spans', async () => {
    const { model } = createTestModel({ revokeGrant: () => true });
    await runOperation(serverOf(model), 'token', tokenRequest(PASSWORD));
    const facts = {
      'oauth2.operation': 'token',
      'oauth2.grant_type': 'password',
      'oauth2.client_id': 'web',
      'oauth2.outcome': 'ok',
    };
    const [[name, attributes, children], ...others] = tree() as [Told, ...Told[]];
    expect([name, attributes, others]).toEqual(['oauth2.token', facts, []]);
    expect(children).toEqual(expect.arrayContaining(['getClient', 'getUser', 'validateScope', 'saveToken'].map(child)));
  });

  it('describes a guarded request, with the client of a valid token or with the error', async () => {
    const testModel = createTestModel();
    addAccessToken(testModel);
    const server = serverOf(testModel.model);
    await runOperation(
      server,
      'authenticate',
      resourceRequest('Bearer access', { body: { client_id: 'not a client' } }),
    );
    await runOperation(server, 'authenticate', resourceRequest('Bearer other'), { scope: 'read' });
    const operation = { 'oauth2.operation': 'authenticate' };
    expect(tree()).toEqual([
      [
        'oauth2.authenticate',
        { ...operation, 'oauth2.client_id': 'web', 'oauth2.outcome': 'ok' },
        [child('getAccessToken')],
      ],
      [
        'oauth2.authenticate',
        { ...operation, 'oauth2.outcome': 'refused', 'error.type': 'invalid_token' },
        [child('getAccessToken')],
      ],
    ]);
    expect(spans.getFinishedSpans().map(({ status }) => status.code)).not.toContain(SpanStatusCode.ERROR);
  });

  it('describes authorize(), each of its phases, and an endpoint that is called by its id', async () => {
    const { model } = createTestModel();
    const server = serverOf(model, { model: false });
    await runOperation(server, 'authorize', authorizeRequest(), signedIn);
    const response = new Response();
    const requested = await server.readAuthorizationRequest(authorizeRequest(), response);
    await server.decide(requested, { user: { id: 'alice' } }, response);
    await server.handle('introspection', tokenRequest({ token: 'nonsense' }), new Response());
    const client = { 'oauth2.client_id': 'web', 'oauth2.outcome': 'ok' };
    expect(tree()).toEqual(
      ['authorize', 'authorize.read', 'authorize.decide', 'introspection'].map((name) => [
        `oauth2.${name}`,
        { 'oauth2.operation': name, ...client },
        [],
      ]),
    );
  });

  it('has the status error only for a server error, with the class of the error that the model threw', async () => {
    class DriverError extends Error {}
    const getClient = () => Promise.reject(new DriverError('postgres://app:hunter2@10.0.0.1'));
    const { error } = await runOperation(
      serverOf(createTestModel({ getClient }).model),
      'token',
      tokenRequest(PASSWORD),
    );
    expect(error?.code).toBe(503);
    expect(tree()).toMatchObject([
      [
        'oauth2.token',
        { 'oauth2.outcome': 'fault', 'error.type': 'server_error' },
        [['oauth2.model.getClient', { 'error.type': 'DriverError' }, []]],
      ],
    ]);
    expect(spans.getFinishedSpans().map(({ status }) => status)).toEqual([
      { code: SpanStatusCode.ERROR },
      { code: SpanStatusCode.ERROR },
    ]);
  });

  it('contains no secret, no token, no code and no error text of the model', async () => {
    const testModel = createTestModel({
      getUser: () => Promise.reject(new Error('the password of alice is wonderland')),
    });
    addAccessToken(testModel);
    addCode(testModel);
    const server = serverOf(testModel.model);
    const { result } = await runOperation(server, 'token', tokenRequest({ grant_type: 'client_credentials' }));
    await runOperation(server, 'token', tokenRequest(PASSWORD));
    await runOperation(
      server,
      'token',
      tokenRequest({ grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK }),
    );
    await runOperation(server, 'authenticate', resourceRequest());
    const all = spans
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => [name, attributes, events, status]);
    const said = JSON.stringify(all);
    for (const secret of [SECRET, 'wonderland', String(result!['accessToken'])]) expect(said).not.toContain(secret);
    expect(Object.values(all.flatMap(([, attributes]) => Object.values(attributes as Attributes)))).not.toContain(
      'access',
    );
  });

  it('does not change results, also with frozen models and models with callbacks', async () => {
    const testModel = createTestModel();
    addAccessToken(testModel);
    const token = { marked: true, ...(await testModel.model.getAccessToken!('access')) } as never;
    const model = Object.freeze({
      ...testModel.model,
      getAccessToken(_value: string, callback: (error: null, token: object) => void) {
        setImmediate(callback, null, token);
      },
    });
    const { result } = await runOperation(serverOf(model as never), 'authenticate', resourceRequest());
    expect(result).toBe(token);
    expect(tree()).toMatchObject([['oauth2.authenticate', {}, [child('getAccessToken')]]]);
  });
});

describe('a metric of telemetry()', () => {
  async function measured() {
    await reader.forceFlush();
    const found = figures.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics: all }) => all));
    figures.reset();
    return Object.fromEntries(
      found.map(({ descriptor, dataPoints }) => [
        descriptor.name,
        dataPoints.map(({ attributes, value }) => [
          attributes,
          typeof value === 'number' ? value : (value as { count: number }).count,
        ]),
      ]),
    );
  }

  it('counts operations by grant type and outcome, and events by name', async () => {
    await measured();
    const testModel = createTestModel();
    const server = serverOf(testModel.model, { attributes: { 'oauth2.server': 'partners' } });
    const form = { grant_type: 'client_credentials' };
    for (let i = 0; i < 3; i++) await runOperation(server, 'token', tokenRequest(form));
    const wrong = { ...FORM, authorization: basic('web', 'wrong') };
    await runOperation(server, 'token', formRequest(form, { headers: wrong }));
    const named = { 'oauth2.server': 'partners' };
    const facts = { ...named, 'oauth2.operation': 'token', 'oauth2.grant_type': 'client_credentials' };
    const event = (name: string, count: number) => [{ ...named, 'oauth2.event': name }, count];
    expect(await measured()).toEqual({
      'oauth2.operation.duration': [
        [{ ...facts, 'oauth2.outcome': 'ok' }, 3],
        [{ ...facts, 'oauth2.outcome': 'refused', 'error.type': 'invalid_client' }, 1],
      ],
      'oauth2.events': [event('client.authenticated', 3), event('token.issued', 3), event('client.refused', 1)],
    });
  });

  it('has one series for all unknown grant types and clients, so that clients cannot create series', async () => {
    await measured();
    const server = serverOf(createTestModel().model);
    for (let i = 0; i < 50; i++) {
      await runOperation(server, 'token', formRequest({ grant_type: `urn:made-up:${i}`, client_id: `made-up-${i}` }));
    }
    const { 'oauth2.operation.duration': series } = await measured();
    expect(series).toEqual([[expect.objectContaining({ 'oauth2.grant_type': '_OTHER' }), 50]]);
  });
});

describe('a server with telemetry()', () => {
  it('still calls its own event listeners', async () => {
    const heard: string[] = [];
    const events = { emit: (name: string) => heard.push(name), wants: (name: string) => name !== 'token.issued' };
    const server = serverOf(createTestModel().model, {}, { events });
    await runOperation(server, 'token', tokenRequest(PASSWORD));
    expect(heard).toEqual(['client.authenticated']);
  });

  it('rejects a misspelled option at start-up', () => {
    expect(() => serverOf(createTestModel().model, { models: true } as object)).toThrow(
      'unknown option `models` of `telemetry()`: the options are `attributes` and `model`',
    );
  });
});
