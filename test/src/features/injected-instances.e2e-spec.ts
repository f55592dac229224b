import { Inject, Injectable } from '@nestjs/common';
import { afterAll, describe, expect, it } from '@jest/globals';
import { getOAuth2ServerToken, OAuth2Module, type OAuth2ModuleOptions, type ProviderOption } from 'nest-oauth2';
import { capability, type Feature, injects } from 'nest-oauth2/features';
import { OAuth2Server } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { forRootError } from '../../support/servers/start-up-error.js';
import { get, readResponse } from '../../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';

interface Mailer {
  send(): string;
  flush(): string;
}
interface Clock {
  now?(): string;
}
const MAILER = capability<Mailer>('mailer of the test', 'letters');
const CLOCK = capability<Clock>('clock of the test', 'letters');
const STAMP = capability<{ text(): string }>('stamp of the test', 'stamps');

interface Options {
  mail: ProviderOption<Mailer>;
  clock: ProviderOption<Clock>;
}

/** A feature with two options that take an instance, and an endpoint that calls both. */
const letters = ({ mail, clock }: Options): Feature => ({
  id: 'letters',
  injects: [
    injects(MAILER, 'mail', mail, { methods: ['send', 'flush'] }),
    injects(CLOCK, 'times.clock', clock, { methods: [], optionalMethods: ['now'] }),
  ],
  endpoints: {
    letters: {
      path: 'letters',
      methods: ['GET'],
      make: (server) => ({
        handle: async (_, response) => {
          const stamp = server.find(STAMP)?.text();
          response.body = { sent: server.find(MAILER)!.send(), at: server.find(CLOCK)!.now?.(), stamp };
        },
      }),
    },
  },
  install(builder) {
    const mailer = builder.use(MAILER);
    return { health: () => mailer().flush() };
  },
});

const stamps = (stamp: ProviderOption<{ text(): string }>): Feature => ({
  id: 'stamps',
  injects: [injects(STAMP, 'stamp', stamp, { methods: ['text'] })],
});

@Injectable()
class Names {
  readonly name = 'names';
}

/** Injects a provider of the application and the server itself. */
@Injectable()
class InjectedMailer implements Mailer {
  constructor(
    @Inject(Names) private readonly names: Names,
    @Inject(OAuth2Server) private readonly server: OAuth2Server,
  ) {}
  send() {
    return `${this.names.name} of ${String(this.server.options.issuer)}`;
  }
  flush() {
    return 'flushed';
  }
}

const plain: Mailer = { send: () => 'sent', flush: () => 'flushed' };
const model = () => new MemoryStore({ clients: [], users: { findById: () => undefined } });
const ISSUER = 'https://id.example';
const options = (features: Feature[], more: Partial<OAuth2ModuleOptions> = {}): OAuth2ModuleOptions => ({
  model: model(),
  issuer: ISSUER,
  interaction: null,
  features,
  ...more,
});

describe.each(ANY_PLATFORM)('the instances of options of features, on %s,', (platform) => {
  afterAll(stopApplications);

  it('are made from classes, factories and tokens of the application, for several features', async () => {
    const features = [
      letters({
        mail: InjectedMailer,
        clock: { useFactory: async (names: Names) => ({ now: () => names.name }), inject: [Names] },
      }),
      stamps({ useExisting: 'stamp' }),
    ];
    const extraProviders = [Names, { provide: 'stamp', useValue: { text: () => 'inked' } }];
    const { url } = await startApplication(platform, {
      imports: [OAuth2Module.forRoot(options(features, { extraProviders }))],
    });
    expect((await readResponse(get(`${url}/letters`))).body).toEqual({
      sent: `names of ${ISSUER}`,
      at: 'names',
      stamp: 'inked',
    });
  });

  it('are different for each named server, also of the same feature', async () => {
    let made = 0;
    const feature = letters({
      mail: {
        useFactory: () => ({
          ...plain,
          send: (
            (id) => () =>
              `mailer ${id}`
          )((made += 1)),
        }),
      },
      clock: {},
    });
    const { url, app } = await startApplication(platform, {
      imports: [
        OAuth2Module.forRoot(options([feature])),
        OAuth2Module.forRoot(
          options([feature], { name: 'partners', issuer: 'https://other.example', paths: { prefix: 'partners' } }),
        ),
      ],
    });
    const [own, other] = await Promise.all(
      ['/letters', '/partners/letters'].map((path) => readResponse(get(url + path))),
    );
    expect([own!.body, other!.body]).toEqual(
      expect.arrayContaining([{ sent: 'mailer 1' }, { sent: 'mailer 2' }] as object[]),
    );
    const partners = app.get<OAuth2Server>(getOAuth2ServerToken('partners'), { strict: false });
    expect(partners.context.find(MAILER)!.send()).toBe((other!.body as { sent: string }).sent);
  });

  it('are provided by the server of each tenant', async () => {
    let origin = '';
    const tenants = {
      findTenant: ({ path }: { path: string }) => path.split('/')[1],
      createTenantOptions: (tenant: string) => ({ issuer: `${origin}/${tenant}` }),
    };
    const features = [letters({ mail: { useFactory: () => plain }, clock: {} })];
    const { url } = await startApplication(platform, {
      imports: [
        OAuth2Module.forRoot({
          model: model(),
          tenants,
          features,
          interaction: null,
          paths: { prefix: ':tenant/oauth' },
        }),
      ],
    });
    origin = url;
    for (const tenant of ['acme', 'globex']) {
      expect((await readResponse(get(`${url}/${tenant}/oauth/letters`))).body).toEqual({ sent: 'sent' });
    }
  });

  it.each<[string, Partial<Options>, string]>([
    [
      'lacks methods',
      { mail: {} as never },
      'the `mail` of `letters()` has no methods `send()` and `flush()`: implement them',
    ],
    [
      'has an optional method that is none',
      { clock: { now: 'noon' } as never },
      'the member `now` of the `times.clock` of `letters()` must be a method: implement or remove it',
    ],
    [
      'is made by a factory with a misspelled name',
      { mail: { usefactory: () => plain } as never },
      'the `mail` of `letters()` must be a class, an instance or a provider: replace `usefactory` by `useFactory`',
    ],
  ])('are verified at start-up: one %s', async (_, change, message) => {
    const feature = letters({ mail: plain, clock: {}, ...change });
    expect(await forRootError(options([feature]))).toBe(message);
  });

  it('are reported at start-up with their option if Nest cannot make them', async () => {
    const features = [letters({ mail: InjectedMailer, clock: {} })];
    await expect(startApplication(platform, { imports: [OAuth2Module.forRoot(options(features))] })).rejects.toThrow(
      /\[the `mail`: add its dependencies to `imports` or `extraProviders` of OAuth2Module\]/,
    );
  });
});

describe('the instances of options of features, without OAuth2Module,', () => {
  const serverWith = (change: Partial<Options>) =>
    new OAuth2Server({ model: model(), features: [letters({ mail: plain, clock: {}, ...change })] });

  it('are the options themselves', () => {
    expect(serverWith({}).context.find(MAILER)).toBe(plain);
  });

  it.each<[string, Partial<Options>, string]>([
    [
      'a class',
      { mail: InjectedMailer },
      'the `mail` of `letters()` is a class, which only OAuth2Module instantiates: pass an instance',
    ],
    [
      'a provider',
      { mail: { useFactory: () => plain } },
      'is a provider of Nest, which only OAuth2Module instantiates',
    ],
    ['an object without its methods', { mail: {} as never }, 'has no methods `send()` and `flush()`: implement them'],
  ])('cannot be %s', (_, change, message) => {
    expect(() => serverWith(change)).toThrow(message);
  });
});
