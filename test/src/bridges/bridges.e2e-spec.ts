import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Inject, Injectable, type ModuleMetadata } from '@nestjs/common';
import { CqrsModule, EventsHandler, type IEventHandler } from '@nestjs/cqrs';
import { EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import type { OAuth2Event } from 'nest-oauth2';
import { EVENT_NAMES } from 'nest-oauth2/server';
import * as cqrs from 'nest-oauth2/cqrs';
import { OAuth2EventEmitterBridge } from 'nest-oauth2/event-emitter';

import { demoModule } from '../../support/servers/demo.js';
import { basic, post } from '../../support/clients/http.js';
import { type TestApplication, startApplication, stopApplications } from '../../support/servers/test-application.js';

const heard: [string, unknown][] = [];
afterEach(() => void heard.splice(0));
afterAll(stopApplications);

const start = ({ imports = [], providers = [] }: ModuleMetadata) => {
  const demo = demoModule();
  return startApplication('express', { ...demo, imports: [...demo.imports!, ...imports], providers });
};

/** Sends one valid request and one that is rejected. */
async function ask({ url }: TestApplication): Promise<number[]> {
  const form = { grant_type: 'client_credentials' };
  const good = await post(`${url}/oauth/token`, form, basic('web', 'web-secret'));
  return [good.status, (await post(`${url}/oauth/token`, form, basic('web', 'wrong'))).status];
}

describe('the bridge of events to @nestjs/event-emitter', () => {
  @Injectable()
  class Listener {
    @OnEvent('oauth2.token.issued')
    issued({ clientId, at }: OAuth2Event) {
      heard.push(['issued', [clientId, at instanceof Date]]);
    }

    @OnEvent('oauth2.*.refused')
    async refused({ clientId }: OAuth2Event) {
      await Promise.resolve();
      heard.push(['refused', clientId]);
      throw new Error('a listener that fails');
    }
  }

  it('delivers events to @OnEvent() by name and by pattern, and does not change responses', async () => {
    const imports = [EventEmitterModule.forRoot({ wildcard: true })];
    const host = await start({ imports, providers: [OAuth2EventEmitterBridge, Listener] });
    expect(await ask(host)).toEqual([200, 401]);
    expect(heard).toEqual([
      ['issued', ['web', true]],
      ['refused', 'web'],
    ]);
  });
});

describe('the bridge of events to @nestjs/cqrs', () => {
  let host: TestApplication;

  @EventsHandler(cqrs.TokenIssuedEvent)
  class Issued implements IEventHandler<cqrs.TokenIssuedEvent> {
    handle({ name, payload }: cqrs.TokenIssuedEvent) {
      heard.push([name, payload.clientId]);
    }
  }

  @Injectable()
  class Notes {
    write(...note: [string, unknown]) {
      heard.push(note);
    }
  }

  @EventsHandler(cqrs.ClientRefusedEvent, cqrs.TokenRefusedEvent)
  class Refused implements IEventHandler<cqrs.ClientRefusedEvent | cqrs.TokenRefusedEvent> {
    constructor(@Inject(Notes) private readonly notes: Notes) {}

    async handle({ name, payload }: cqrs.ClientRefusedEvent | cqrs.TokenRefusedEvent) {
      this.notes.write(name, payload.reason);
      await Promise.reject(new Error('a handler that fails'));
    }
  }

  beforeAll(async () => {
    host = await start({ imports: [CqrsModule.forRoot()], providers: [cqrs.OAuth2CqrsBridge, Issued, Refused, Notes] });
  });

  it('delivers each event to @EventsHandler() by its class, and does not change responses', async () => {
    expect(await ask(host)).toEqual([200, 401]);
    expect(heard).toEqual([
      ['token.issued', 'web'],
      ['client.refused', 'client secret is wrong'],
    ]);
  });

  it('has a class with a name for each event', () => {
    const publish = jest.fn<(event: { name: string; payload: object }) => void>();
    const bridge = new cqrs.OAuth2CqrsBridge({ publish } as never);
    for (const name of EVENT_NAMES) bridge.publish({ at: new Date(), endpoint: name }, name);
    const published = publish.mock.calls.map(([event]) => event);
    expect(published.map(({ name }) => name)).toEqual(EVENT_NAMES);
    const classes = published.map(({ constructor }) => constructor);
    expect(new Set(classes).size).toBe(EVENT_NAMES.length);
    expect(Object.values(cqrs)).toEqual(expect.arrayContaining(classes));
  });
});
