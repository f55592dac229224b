import {
  Controller,
  Get,
  type INestApplication,
  Logger,
  type Type,
  VERSION_NEUTRAL,
  VersioningType,
} from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pages } from 'nest-oauth2/pages';
import { demoModule } from '../../support/servers/demo.js';
import {
  PLATFORMS,
  startApplication,
  stopApplications,
  type TestApplicationOptions,
} from '../../support/servers/test-application.js';

@Controller('join')
class JoinController {
  @Get()
  page() {
    return 'Create an account';
  }
}

describe.each(PLATFORMS)('a page of the application in the options of `pages()`, on %s', (platform) => {
  const warn = jest.spyOn(Logger.prototype, 'warn');
  beforeEach(() => void warn.mockReset().mockImplementation(() => undefined));
  afterEach(stopApplications);

  const warningsOf = async (
    options: Parameters<typeof pages>[0],
    prepare: TestApplicationOptions['prepare'] = () => undefined,
    controllers: Type[] = [JoinController],
  ) => {
    warn.mockClear();
    const { imports } = demoModule({ interaction: undefined, features: [pages(options)] });
    await startApplication(platform, { imports: imports!, controllers }, { prepare });
    return warn.mock.calls.map(([text]) => String(text)).filter((text) => text.startsWith('No route serves'));
  };

  it('is a warning if no route serves it', async () => {
    expect(await warningsOf({ signUp: '/join?from=login', forgotPassword: 'https://help.example/password' })).toEqual(
      [],
    );
    const unserved = (path: string, option: string) =>
      `No route serves ${path}, the \`${option}\` of \`pages()\`: add a route, or remove \`${option}\`. If a proxy or a static file serves it, ignore this.`;
    expect(await warningsOf({ signUp: '/sign-up', forgotPassword: '/forgot' })).toEqual([
      unserved('/sign-up', 'signUp'),
      unserved('/forgot', 'forgotPassword'),
    ]);
    expect(await warningsOf({ signUp: '/join' }, (app) => app.setGlobalPrefix('api'))).toEqual([
      "No route serves /join, the `signUp` of `pages()`: it is at /api/join because of the global prefix: set `signUp: '/api/join'` in `pages()`, or exclude the route from the prefix.",
    ]);
  });

  it('is no warning if a route serves every path', async () => {
    const everyPath = platform === 'express' ? '/{*path}' : '/*';
    const prepare = (app: INestApplication) => app.getHttpAdapter().get(everyPath, () => undefined);
    expect(await warningsOf({ signUp: '/sign-up' }, prepare)).toEqual([]);
  });

  it.each([
    ['a parameter', '/:locale/join', '/:locale/join'],
    ['only parameters', '/:locale/:page', '/:locale/:page'],
    ['a wildcard', '/en/*page', '/en/*'],
    ['a trailing slash and other case', '/EN/join/', '/en/join/'],
  ])('is no warning if a route with %s serves it', async (_, onExpress, onFastify) => {
    const route = platform === 'express' ? onExpress : onFastify;
    const prepare = (app: INestApplication) => app.getHttpAdapter().get(route, () => undefined);
    expect(await warningsOf({ signUp: '/en/join' }, prepare)).toEqual([]);
    expect(await warningsOf({ signUp: '/join-us' }, prepare)).toHaveLength(1);
  });

  it('is no warning if a route with a parameter matches its invalid percent-encoding', async () => {
    const prepare = (app: INestApplication) => app.getHttpAdapter().get('/:locale/join', () => undefined);
    expect(await warningsOf({ signUp: '/%zz/join' }, prepare)).toEqual([]);
  });

  it.each<[version: string | (string | typeof VERSION_NEUTRAL)[]]>([['1'], [['1', VERSION_NEUTRAL]]])(
    'is no warning if a request header may select the route, with the version %j',
    async (version) => {
      @Controller({ path: 'versioned', version })
      class VersionedController {
        @Get()
        page() {
          return 'Create an account';
        }
      }
      const prepare = (app: INestApplication) =>
        app.enableVersioning({ type: VersioningType.HEADER, header: 'version' });
      expect(await warningsOf({ signUp: '/versioned' }, prepare, [VersionedController])).toEqual([]);
    },
  );
});
