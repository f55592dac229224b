import 'reflect-metadata';
import type { INestApplication, ModuleMetadata, NestApplicationOptions } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';

/**
 * The platforms for tests that depend on the HTTP adapter: routes, bodies, headers, cookies, connections and guards.
 */
export const PLATFORMS = ['express', 'fastify'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** The platform for tests that do not depend on the HTTP adapter: `TEST_PLATFORM`, or Express as in `nest new`. */
export const ANY_PLATFORM: readonly Platform[] = [process.env['TEST_PLATFORM'] === 'fastify' ? 'fastify' : 'express'];

export interface TestApplicationOptions extends NestApplicationOptions {
  /** Called before the application starts to listen. */
  prepare?(app: INestApplication): unknown;
  /** Whether to trust the `X-Forwarded-…` headers of all proxies, or the address of a trusted proxy. Default: `false`. */
  trustProxy?: boolean | string;
  /** The TCP port. If omitted, a free port is used. */
  port?: number;
  /** Whether Fastify serves HTTP/2 without TLS. Default: `false`. */
  http2?: boolean;
  override?(builder: TestingModuleBuilder): TestingModuleBuilder;
}

export interface TestApplication {
  app: INestApplication;
  url: string;
}

const running: INestApplication[] = [];

/** Starts a Nest application on a local port. */
export async function startApplication(
  platform: Platform,
  module: ModuleMetadata,
  options: TestApplicationOptions = {},
): Promise<TestApplication> {
  const {
    prepare,
    override = (builder) => builder,
    trustProxy = false,
    port: requestedPort = 0,
    http2 = false,
    ...application
  } = options;
  const { httpsOptions: https } = application;
  const compiled = await override(Test.createTestingModule(module)).compile();
  const adapter = await (platform === 'express'
    ? expressAdapter(trustProxy)
    : fastifyAdapter({ trustProxy, http2, https }));
  const app = compiled.createNestApplication(adapter, { logger: false, forceCloseConnections: true, ...application });
  running.push(app);
  await prepare?.(app);
  await app.listen(requestedPort, '127.0.0.1');
  const { port } = app.getHttpServer().address();
  return { app, url: `${https ? 'https' : 'http'}://127.0.0.1:${port}` };
}

// The adapters are imported only if used, because each import takes about 0.3 seconds per test file.

async function expressAdapter(trustProxy: boolean | string): Promise<AbstractHttpAdapter> {
  const { ExpressAdapter } = await import('@nestjs/platform-express');
  const adapter = new ExpressAdapter();
  adapter.getInstance().set('trust proxy', trustProxy);
  return adapter;
}

async function fastifyAdapter({
  https,
  http2,
  trustProxy,
}: Pick<TestApplicationOptions, 'trustProxy' | 'http2'> & {
  https: NestApplicationOptions['httpsOptions'];
}): Promise<AbstractHttpAdapter> {
  const { FastifyAdapter } = await import('@nestjs/platform-fastify');
  const options = { trustProxy, ...(https && { https: https as object }), ...(http2 && { http2 }) };
  return new FastifyAdapter(options as ConstructorParameters<typeof FastifyAdapter>[0]);
}

/** Stops all applications. Call it in `afterEach` or `afterAll`. */
export async function stopApplications(): Promise<void> {
  await Promise.all(running.splice(0).map((app) => app.close()));
}
