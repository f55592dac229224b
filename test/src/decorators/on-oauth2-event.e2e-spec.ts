import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Inject, Injectable, Module, type Provider, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { OAuth2Module, OAuth2Server, OnOAuth2Event, type OAuth2Events } from 'nest-oauth2';
import { demoModule, demoStore } from '../../support/servers/demo.js';
import { basic, post } from '../../support/clients/http.js';
import { startApplication, stopApplications } from '../../support/servers/test-application.js';
import { waitUntil } from '../../support/environment/wait-until.js';

const heard: unknown[] = [];

/** Sends one request that gets a token and one that is rejected. */
async function twoRequests(url: string): Promise<number[]> {
  const form = { grant_type: 'client_credentials' };
  const good = await post(`${url}/oauth/token`, form, basic('web', 'web-secret'));
  return [good.status, (await post(`${url}/oauth/token`, form, basic('web', 'wrong'))).status];
}

async function start(providers: Provider[], more: object = {}) {
  const demo = demoModule();
  return startApplication('express', { ...demo, providers, ...more });
}

describe('@OnOAuth2Event()', () => {
  afterEach(stopApplications);
  afterEach(() => void heard.splice(0));

  it('registers a listener once, for inherited methods, custom tokens, factories and values', async () => {
    class Base {
      @OnOAuth2Event('token.issued')
      issued({ clientId }: OAuth2Events['token.issued']) {
        heard.push([this.constructor.name, clientId]);
      }

      @OnOAuth2Event('token.issued')
      bent() {
        heard.push('of the base');
      }
    }
    class Derived extends Base {
      override bent() {
        heard.push('not decorated');
      }
    }
    class Made extends Derived {}
    class Given extends Derived {}
    Injectable()(Derived);
    await twoRequests(
      (
        await start([
          Derived,
          { provide: 'ALIAS', useExisting: Derived },
          { provide: 'SAME', useFactory: (one: Derived) => one, inject: [Derived] },
          { provide: 'MADE', useFactory: () => new Made() },
          { provide: 'GIVEN', useValue: new Given() },
        ])
      ).url,
    );
    expect(heard).toEqual([
      ['Derived', 'web'],
      ['Made', 'web'],
      ['Given', 'web'],
    ]);
  });

  it('registers a method of a controller, and a method with several event names', async () => {
    @Controller()
    class Status {
      @OnOAuth2Event('token.issued')
      @OnOAuth2Event('client.refused')
      tell(_: object, name: string) {
        heard.push(name);
      }
    }
    const { url } = await start([], { controllers: [Status] });
    await twoRequests(url);
    expect(heard).toEqual(['token.issued', 'client.refused']);
  });

  it.each(['REQUEST', 'TRANSIENT', 'DEFAULT'] as const)(
    'calls a listener of scope %s with an instance for each event',
    async (scope) => {
      @Injectable({ scope: Scope.REQUEST })
      class Connection {
        constructor(@Inject(REQUEST) readonly request: { event?: object }) {}
      }
      let made = 0;
      @Injectable({ scope: Scope[scope] })
      class Listener {
        readonly number = ++made;
        constructor(@Inject(Connection) readonly connection: Connection) {}

        @OnOAuth2Event('token.issued')
        async tell(event: OAuth2Events['token.issued'], name: string) {
          await Promise.resolve();
          heard.push([this.number, name, this.connection.request.event === event]);
        }
      }
      const { url } = await start([Listener, Connection]);
      made = 0;
      await twoRequests(url);
      await twoRequests(url);
      await waitUntil(() => heard.length >= 2);
      expect(heard).toEqual([
        [1, 'token.issued', true],
        [2, 'token.issued', true],
      ]);
    },
  );

  it('does not change the response if a listener throws or rejects', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    @Injectable()
    class Failing {
      @OnOAuth2Event('*')
      now() {
        throw new Error('broken now');
      }

      @OnOAuth2Event('token.issued')
      async later() {
        await Promise.reject(new Error('broken later'));
      }

      @OnOAuth2Event('token.issued')
      fine() {
        heard.push('told all the same');
      }
    }
    const { url } = await start([Failing]);
    expect(await twoRequests(url)).toEqual([200, 401]);
    expect(heard).toEqual(['told all the same']);
    expect(warned.mock.calls.map(([text]) => text)).toEqual([
      'A listener of `client.authenticated` failed: broken now',
      'A listener of `token.issued` failed: broken now',
      'A listener of `token.issued` failed: broken later',
      'A listener of `client.refused` failed: broken now',
    ]);
    warned.mockRestore();
  });

  it.each<[string, object, string]>([
    [
      'an unknown event',
      { providers: [listening('token.isued' as never)] },
      'Listener.tell() listens to the unknown event `token.isued`: did you mean `token.issued`?',
    ],
    [
      'an unknown server',
      { providers: [listening('token.issued', { server: 'partnrs' })] },
      'Listener.tell() listens to the server `partnrs`, but no import of OAuth2Module has this name',
    ],
    [
      'a request-scoped controller',
      { controllers: [listening('*', { isRequestScoped: true })] },
      'Listener.tell() listens to events, but its controller is request-scoped',
    ],
  ])('fails at start-up for %s', async (_, module, sentence) => {
    await expect(startApplication('express', { ...demoModule(), ...module })).rejects.toThrow(sentence);
  });

  it('receives the events of one of several servers or of all, with the name of the server', async () => {
    @Injectable()
    class Listener {
      @OnOAuth2Event('token.issued', { server: 'partners' })
      ofPartners({ server }: OAuth2Events['token.issued']) {
        heard.push(['of partners', server]);
      }

      @OnOAuth2Event('token.issued')
      ofAll({ server }: OAuth2Events['token.issued']) {
        heard.push(['of all', server]);
      }
    }
    const partners = OAuth2Module.forRoot({ name: 'partners', model: demoStore(), paths: { prefix: 'partners' } });
    const { url } = await start([Listener], { imports: [...demoModule().imports!, partners] });
    for (const path of ['oauth', 'partners']) {
      await post(`${url}/${path}/token`, { grant_type: 'client_credentials' }, basic('web', 'web-secret'));
    }
    expect(heard).toEqual([
      ['of all', undefined],
      ['of partners', 'partners'],
      ['of all', 'partners'],
    ]);
  });

  it('receives an event that the application itself emits, in a module created by a factory', async () => {
    @Injectable()
    class Listener {
      @OnOAuth2Event('grant.ended')
      tell({ at, ...event }: OAuth2Events['grant.ended']) {
        heard.push(at instanceof Date, event);
      }
    }
    @Module({ providers: [Listener] })
    class Audit {}
    const { app } = await startApplication('express', {
      imports: [OAuth2Module.forRootAsync({ useFactory: () => ({ model: demoStore() }) }), Audit],
    });
    const facts = { endpoint: 'sessions', userId: 'alice', reason: 'application' } as const;
    app.get(OAuth2Server).report('grant.ended', facts);
    expect(heard).toEqual([true, facts]);
  });
});

function listening(
  name: keyof OAuth2Events | '*',
  { isRequestScoped = false, ...options }: { isRequestScoped?: boolean; server?: string } = {},
) {
  class Listener {
    @OnOAuth2Event(name, options)
    tell() {
      heard.push(name);
    }
  }
  if (isRequestScoped) Controller({ scope: Scope.REQUEST })(Listener);
  else Injectable()(Listener);
  return Listener;
}
