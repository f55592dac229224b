import { Inject, Injectable, type ModuleMetadata, Scope, ValidationPipe, VersioningType } from '@nestjs/common';
import {
  APP_FILTER,
  APP_GUARD,
  APP_INTERCEPTOR,
  type ContextId,
  ContextIdFactory,
  REQUEST,
  RouterModule,
} from '@nestjs/core';
import { Transport } from '@nestjs/microservices';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import fastifyCompress from '@fastify/compress';
import fastifyHelmet from '@fastify/helmet';
import compression from 'compression';
import express from 'express';
import helmet from 'helmet';
import { type NativeRequest, OAuth2Module, type OAuth2ModuleOptions, OAuthGuard } from 'nest-oauth2';
import type { INestApplication } from '@nestjs/common';
import { CatchAllFilter, CountingGuard, WrappingInterceptor } from '../../support/servers/global-enhancers.js';
import { demoModule, demoStore } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import type { TestApplicationOptions, Platform } from '../../support/servers/test-application.js';
import { ISSUER, OAUTH, type ReachedRoutes } from './exercise-application.js';

/** The differences between an application of the table and a plain one. */
export interface Setup extends Partial<Omit<ReachedRoutes, 'url'>> {
  oauth?: Partial<OAuth2ModuleOptions>;
  module?: ModuleMetadata;
  options?: TestApplicationOptions;
  /** Starts a proxy in front of the application, and returns the URL that it listens on. */
  front?(app: INestApplication): Promise<string>;
  stop?(): unknown;
}

type Make = (platform: Platform) => Setup | Promise<Setup>;

const use = (prepare: TestApplicationOptions['prepare'], rest: Partial<Setup> = {}): Setup => ({
  ...rest,
  options: { prepare },
});
const provide = (...providers: NonNullable<ModuleMetadata['providers']>): Setup => ({ module: { providers } });
const fastify = (app: INestApplication) => app as unknown as NestFastifyApplication;
const store = demoStore();

@Injectable({ scope: Scope.REQUEST })
class RequestModel {
  constructor(@Inject(REQUEST) request: NativeRequest) {
    return tenantModel(request);
  }
}

@Injectable({ scope: Scope.REQUEST, durable: true })
class DurableModel {
  static made = 0;
  constructor(@Inject(REQUEST) request: NativeRequest) {
    DurableModel.made += 1;
    return tenantModel(request);
  }
}

/** Returns a model only if the request names a tenant. */
function tenantModel({ headers }: NativeRequest): DurableModel {
  if (headers?.['x-tenant'] !== 'a') throw new Error('no tenant');
  return Object.create(store) as DurableModel;
}

const inUrl = { type: VersioningType.URI, defaultVersion: '1' } as const;
const everyPipe = { whitelist: true, forbidNonWhitelisted: true, transform: true, validateCustomDecorators: true };

/** The functions that create the application of each row, by its `driver`. */
export const HOSTS: Readonly<Record<string, Make>> = {
  plain: () => ({}),
  'validation pipe': () => use((app) => app.useGlobalPipes(new ValidationPipe(everyPipe))),
  'wrapping interceptor': () => provide({ provide: APP_INTERCEPTOR, useClass: WrappingInterceptor }),
  'catch-all filter': () => provide({ provide: APP_FILTER, useClass: CatchAllFilter }),
  'guard for all': () => provide({ provide: APP_GUARD, useClass: OAuthGuard }),
  'another guard': () => provide({ provide: APP_GUARD, useClass: CountingGuard }),
  throttler: () => ({
    module: {
      imports: [ThrottlerModule.forRoot([{ ttl: 60_000, limit: 20 }])],
      providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }],
    },
  }),
  helmet: (platform) =>
    use((app) => (platform === 'express' ? app.use(helmet()) : fastify(app).register(fastifyHelmet))),
  compression: (platform) =>
    use((app) =>
      platform === 'express'
        ? app.use(compression({ threshold: 0 }))
        : fastify(app).register(fastifyCompress, { threshold: 0 }),
    ),
  cors: () =>
    use((app) => app.enableCors({ origin: true, credentials: true }), { headers: { origin: 'https://other.example' } }),
  'cors, twice': () =>
    use((app) => app.enableCors({ origin: true, credentials: true }), {
      headers: { origin: 'https://app.example' },
      oauth: { cors: { origins: ['https://app.example'] } },
    }),
  prefix: () => use((app) => app.setGlobalPrefix('api'), { notes: '/api/notes' }),
  'router module': () => ({
    module: { imports: [RouterModule.register([{ path: 'auth', module: OAuth2Module }])] },
  }),
  'versions in the URL': () => use((app) => app.enableVersioning(inUrl), { notes: '/v1/notes' }),
  'versions in a header': () =>
    use((app) => app.enableVersioning({ type: VersioningType.HEADER, header: 'x-version', defaultVersion: '1' }), {
      headers: { 'x-version': '1' },
    }),
  'versions in the media type': () =>
    use((app) => app.enableVersioning({ type: VersioningType.MEDIA_TYPE, key: 'v=', defaultVersion: '1' }), {
      headers: { accept: 'application/json;v=1' },
    }),
  'model for each request': () => ({ oauth: { model: RequestModel as never }, headers: { 'x-tenant': 'a' } }),
  'durable model': () => {
    const contexts = ContextIdFactory as unknown as { strategy: object };
    const { strategy: before } = contexts;
    const tenant = ContextIdFactory.create();
    ContextIdFactory.apply({
      attach: (context: ContextId, request: NativeRequest) => ({
        resolve: (info: { isTreeDurable: boolean }) => (info.isTreeDurable ? tenant : context),
        payload: request,
      }),
    });
    return {
      oauth: { model: DurableModel as never },
      headers: { 'x-tenant': 'a' },
      stop: () => (contexts.strategy = before),
    };
  },
  hybrid: async () => {
    const service = { transport: Transport.TCP as const, options: { host: '127.0.0.1', port: await freePort() } };
    return {
      ...provide({ provide: APP_GUARD, useClass: OAuthGuard }, { provide: APP_FILTER, useClass: CatchAllFilter }),
      options: {
        async prepare(app) {
          app.connectMicroservice(service, { inheritAppConfig: true });
          await app.startAllMicroservices();
        },
      },
    };
  },
  everything: (platform) => ({
    module: {
      imports: [ThrottlerModule.forRoot([{ ttl: 60_000, limit: 20 }])],
      providers: [
        { provide: APP_GUARD, useClass: ThrottlerGuard },
        { provide: APP_GUARD, useClass: OAuthGuard },
        { provide: APP_INTERCEPTOR, useClass: WrappingInterceptor },
        { provide: APP_FILTER, useClass: CatchAllFilter },
      ],
    },
    options: {
      async prepare(app) {
        app.useGlobalPipes(new ValidationPipe(everyPipe)).setGlobalPrefix('api').enableVersioning(inUrl);
        app.enableCors({ origin: true, credentials: true });
        if (platform === 'express') return app.use(helmet(), compression({ threshold: 0 }));
        await fastify(app).register(fastifyHelmet);
        return fastify(app).register(fastifyCompress, { threshold: 0 });
      },
    },
    notes: '/api/v1/notes',
  }),
  'no body parser': () => ({ options: { bodyParser: false } }),
  'raw body': () => ({ options: { rawBody: true } }),
  'extended query parser': () => ({
    ...use((app) => app.getHttpAdapter().getInstance().set('query parser', 'extended')),
  }),
  'trusted proxy': () => ({
    options: { trustProxy: true },
    headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'id.example', 'x-forwarded-for': '192.0.2.1' },
  }),
  'proxy that takes off a path': () => ({
    oauth: { issuer: `${ISSUER}/auth` },
    issuer: `${ISSUER}/auth`,
    notes: '/auth/notes',
    rewrite(path) {
      // Well-known paths are passed on unchanged.
      if (path.startsWith('/.well-known/')) return path;
      if (!path.startsWith('/auth/')) throw new Error(`The proxy knows no ${path}`);
      return path.slice('/auth'.length);
    },
  }),
  'proxy that leaves the path': () => ({
    ...use((app) => app.setGlobalPrefix('auth')),
    oauth: { issuer: `${ISSUER}/auth` },
    issuer: `${ISSUER}/auth`,
    notes: '/auth/notes',
  }),
  'mounted in another application': () => {
    const outer = express();
    let stop: (() => unknown) | undefined;
    return {
      oauth: { issuer: `${ISSUER}/auth` },
      issuer: `${ISSUER}/auth`,
      notes: '/auth/notes',
      async front(app) {
        const inner = app.getHttpAdapter().getInstance() as express.Express;
        outer.use('/auth', inner);
        outer.get('/.well-known/oauth-authorization-server/auth', inner);
        const server = outer.listen(0, '127.0.0.1');
        await new Promise((resolve) => server.once('listening', resolve));
        stop = () => server.close();
        return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
      },
      stop: () => stop?.(),
    };
  },
};

/** Returns the module of an application, with its additions to the plain one. */
export function moduleOf({ oauth, module = {} }: Setup): ModuleMetadata {
  const { imports = [], ...plain } = demoModule({ ...OAUTH, ...oauth });
  return { ...plain, ...module, imports: [...imports, ...(module.imports ?? [])] };
}
