import { describe, expect, it, jest } from '@jest/globals';
import {
  InvalidArgumentError,
  type Model,
  OAuth2Server,
  type OAuthError,
  Response,
  ServerError,
} from 'nest-oauth2/server';

import { formPost, type Instrumentation } from 'nest-oauth2/features';
import { addAccessToken, createTestModel } from '../support/models/model.js';
import {
  runOperation,
  authorizeRequest,
  resourceRequest,
  signedIn,
  tokenRequest,
} from '../support/clients/requests.js';
import { waitUntil } from '../support/environment/wait-until.js';

const CREDENTIALS = { grant_type: 'client_credentials' };

function serverWith(instrumentation: Instrumentation | readonly Instrumentation[], more: object = {}): OAuth2Server {
  const testModel = createTestModel();
  addAccessToken(testModel);
  return new OAuth2Server({ model: testModel.model, instrumentation, ...more });
}

/** Returns an instrumentation that records the names of operations, and whether each succeeded. */
function recorder(label: string, record: string[]): Instrumentation {
  return {
    async around({ name }, run) {
      record.push(`${label} before ${name}`);
      try {
        const result = await run();
        record.push(`${label} after ${name}`);
        return result;
      } catch (error) {
        record.push(`${label} ${(error as OAuthError).name}`);
        throw error;
      }
    },
  };
}

describe('the option `instrumentation`', () => {
  it('wraps an operation; the first wrapper of a list is the outermost', async () => {
    const record: string[] = [];
    const server = serverWith(
      [recorder('outer', record), {}, recorder('inner', record)].filter(({ around }) => around),
    );
    expect((await runOperation(server, 'authenticate', resourceRequest())).result).toMatchObject({
      accessToken: 'access',
    });
    expect((await runOperation(server, 'token', tokenRequest({ grant_type: 'nonsense' }))).status).toBe(400);
    expect(record).toEqual([
      'outer before authenticate',
      'inner before authenticate',
      'inner after authenticate',
      'outer after authenticate',
      'outer before token',
      'inner before token',
      'inner unsupported_grant_type',
      'outer unsupported_grant_type',
    ]);
  });

  it('wraps every operation of the server', async () => {
    const names: string[] = [];
    const ping = { path: 'ping', methods: ['GET'], make: () => ({ handle: () => Promise.resolve('pong') }) };
    const around: Instrumentation['around'] = ({ name, request, authorization, server: { options } }, run) => {
      names.push([name, request.method, authorization?.client.id, options.issuer].filter(Boolean).join(' '));
      return run();
    };
    const features = [{ id: 'ping', endpoints: { ping } }];
    const server = serverWith({ around }, { features, issuer: 'https://id.example' });
    const response = new Response();
    await server.authenticate(resourceRequest(), response);
    await server.token(tokenRequest(CREDENTIALS), new Response());
    await server.authorize(authorizeRequest(), new Response(), signedIn);
    const requested = await server.readAuthorizationRequest(authorizeRequest(), response);
    await server.requiredInteraction(requested, {}, response);
    await server.grantableScope(requested, { id: 'alice' }, response);
    await server.decide(requested, { user: { id: 'alice' } }, response);
    expect(await server.handle('ping', resourceRequest(), response)).toBe('pong');
    await server.handle('token', tokenRequest(CREDENTIALS), new Response());
    expect(names).toEqual(
      [
        ['authenticate GET'],
        ['token POST'],
        ['authorize GET'],
        ['authorize.read GET'],
        ['authorize.interaction GET web', 'authorize.scope GET web', 'authorize.decide GET web'],
        ['ping GET', 'token POST'],
      ]
        .flat()
        .map((name) => `${name} https://id.example`),
    );
  });

  it('does not change callbacks: they are called once, with the result or the error of the operation', async () => {
    const record: string[] = [];
    const server = serverWith(recorder('one', record));
    for (const args of [[], [{}], [{ scope: 'admin' }]] as const) {
      const reported = jest.fn();
      const result = (server.authenticate as (...given: unknown[]) => Promise<unknown>)(
        resourceRequest(),
        new Response(),
        ...args,
        reported,
      );
      const [value, error] = await result.then(
        (one) => [one, null],
        (one: unknown) => [undefined, one],
      );
      await new Promise(setImmediate);
      expect(reported.mock.calls).toEqual([error === null ? [null, value] : [error]]);
    }
    expect(record).toHaveLength(6);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('exporter down'))],
    [
      'throws synchronously',
      () => {
        throw new Error('exporter down');
      },
    ],
    [
      'fails after the operation',
      async (_: unknown, run: () => Promise<unknown>) => run().then(() => Promise.reject(new Error('exporter down'))),
    ],
  ] as [string, Instrumentation['around']][])('causes a server_error response if a wrapper %s', async (_, around) => {
    for (const list of [[{ around: around! }], [recorder('outer', []), { around: around! }]]) {
      const { error, status, headers, body } = await runOperation(serverWith(list), 'token', tokenRequest(CREDENTIALS));
      expect(error).toBeInstanceOf(ServerError);
      expect({ status, cache: headers['cache-control'] }).toEqual({ status: 503, cache: 'no-store' });
      expect(body).toMatchObject({ error: 'server_error' });
      expect(JSON.stringify(body)).not.toContain('exporter');
    }
  });

  it('causes no redirect with a code if a wrapper fails after the operation', async () => {
    const around: Instrumentation['around'] = async (_, run) => {
      await run();
      throw new Error('exporter down');
    };
    for (const query of [{}, { response_mode: 'form_post' }]) {
      const server = serverWith({ around }, { features: [formPost()] });
      const { status, headers, body } = await runOperation(server, 'authorize', authorizeRequest(query), signedIn);
      expect({ status, location: headers['location'], type: headers['content-type'] }).toEqual({ status: 503 });
      expect(body).toMatchObject({ error: 'server_error' });
    }
  });

  it('does not run an operation after its wrapper has ended, and causes no unhandled rejection', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const saveToken = jest.fn((token: object) => token);
    const late: Promise<unknown>[] = [];
    const around: Instrumentation['around'] = async (_, run) => {
      setImmediate(() => late.push(run()));
      return undefined as never;
    };
    const server = serverWith({ around }, { model: { ...createTestModel().model, saveToken } as never });
    const { response } = await runOperation(server, 'token', tokenRequest(CREDENTIALS));
    await waitUntil(() => late.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', unhandled);
    expect(response).toMatchObject({ status: 503, body: { error: 'server_error' } });
    expect([saveToken.mock.calls, unhandled.mock.calls, late.length]).toEqual([[], [], 1]);
    await expect(late[0]).rejects.toThrow('`run()` was called after the wrapper had ended');
  });

  it('keeps the error of an operation that failed before its wrapper failed', async () => {
    const around: Instrumentation['around'] = async (_, run) =>
      run().catch((error: unknown) => {
        throw new Error('wrapped', { cause: error });
      });
    const { error, status } = await runOperation(
      serverWith({ around }),
      'authenticate',
      resourceRequest('Bearer other'),
    );
    expect([error?.name, status]).toEqual(['invalid_token', 401]);
  });

  it('cannot make a rejected token accepted, and cannot run an operation twice or never', async () => {
    const swallow: Instrumentation['around'] = async (_, run) =>
      run().catch(() => ({ accessToken: 'forged' }) as never);
    const rejected = await runOperation(
      serverWith({ around: swallow }),
      'authenticate',
      resourceRequest('Bearer other'),
    );
    expect(rejected.error?.name).toBe('invalid_token');

    const never: Instrumentation['around'] = async () => ({ accessToken: 'forged' }) as never;
    const skipped = await runOperation(serverWith({ around: never }), 'authenticate', resourceRequest());
    expect(skipped.error?.message).toContain('did not call `run()`');

    const saveToken = jest.fn((token: object) => token);
    const twice: Instrumentation['around'] = async (_, run) => (await run(), run());
    const model = { ...createTestModel().model, saveToken } as never;
    await runOperation(serverWith({ around: twice }, { model }), 'token', tokenRequest(CREDENTIALS));
    expect(saveToken).toHaveBeenCalledTimes(1);
  });

  it('is not called for arguments that the operation rejects', async () => {
    const around = jest.fn<NonNullable<Instrumentation['around']>>();
    const server = serverWith({ around } as never);
    for (const call of [
      () => server.authenticate({} as never, new Response()),
      () => server.decide({} as never, {} as never, new Response()),
      () => server.requiredInteraction(undefined as never, {}, new Response()),
    ]) {
      await expect(call()).rejects.toBeInstanceOf(InvalidArgumentError);
    }
    expect(around).not.toHaveBeenCalled();
  });

  it('wraps the model, the first wrapper of a list outermost, and receives the events of the server', async () => {
    const calls: string[] = [];
    const wrapper = (label: string): Instrumentation => ({
      wrapModel: (model) =>
        Object.assign(Object.create(model) as Model, {
          getAccessToken: (token: string) => (calls.push(label), model.getAccessToken!(token)),
        }),
      events: { emit: (name) => calls.push(`${label} ${name}`) },
    });
    const events = { emit: (name: string) => calls.push(name) };
    const server = serverWith([wrapper('outer'), wrapper('inner')], { events });
    await runOperation(server, 'authenticate', resourceRequest('Bearer other'));
    const event = 'access.refused';
    expect(calls).toEqual(['outer', 'inner', event, `outer ${event}`, `inner ${event}`]);
  });

  it.each([
    ['is a function', () => ({}), 'is a function: call it'],
    ['is not an object', 'telemetry', 'must be an object with `around()`'],
    ['has no known member', [{ wrap: () => undefined }], 'must be an object with `around()`'],
    ['has a member of a wrong type', { around: true }, '`around` of the option `instrumentation` must be a function'],
    ['has events without `emit()`', { events: {} }, 'with a method `emit()`'],
  ])('causes a start-up error if it %s', (_, instrumentation, message) => {
    expect(() => serverWith(instrumentation as never)).toThrow(message);
  });

  it.each([
    [{ around: () => undefined }, 'pass it in its own option, as `instrumentation: telemetry()`'],
    [{ id: 'mine', observe: () => undefined }, '`observe` of the feature `mine` has no effect'],
    [{ id: 'mine', observeModel: () => undefined }, '`observeModel` of the feature `mine` has no effect'],
  ])('causes a start-up error if it is listed in `features`: %p', (feature, message) => {
    expect(() => new OAuth2Server({ model: createTestModel().model, features: [feature as never] })).toThrow(message);
  });
});
