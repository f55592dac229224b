import 'reflect-metadata';
import type { INestApplication, ModuleMetadata, NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';

/** The platforms on which every end-to-end case runs. */
export const PLATFORMS = ['express', 'fastify'] as const;
export type Platform = (typeof PLATFORMS)[number];

export interface HostOptions extends NestApplicationOptions {
  /** Called before the application starts. */
  prepare?(app: INestApplication): unknown;
  /** Believe what a proxy says in `X-Forwarded-…`. */
  trustProxy?: boolean;
  /** Left out: a free one. */
  port?: number;
  override?(builder: TestingModuleBuilder): TestingModuleBuilder;
}

export interface Host {
  app: INestApplication;
  url: string;
}

const running: INestApplication[] = [];

/** Starts an application on a free port. */
export async function startHost(platform: Platform, module: ModuleMetadata, options: HostOptions = {}): Promise<Host> {
  const { prepare, override = (builder) => builder, trustProxy = false, port: wanted = 0, ...application } = options;
  const { httpsOptions: https } = application;
  const compiled = await override(Test.createTestingModule(module)).compile();
  const adapter =
    platform === 'express'
      ? new ExpressAdapter()
      : new FastifyAdapter({ trustProxy, ...(https && { https: https as object }) });
  if (platform === 'express') adapter.getInstance().set('trust proxy', trustProxy);
  const app = compiled.createNestApplication(adapter, { logger: false, forceCloseConnections: true, ...application });
  running.push(app);
  await prepare?.(app);
  await app.listen(wanted, '127.0.0.1');
  const { port } = app.getHttpServer().address();
  return { app, url: `${https ? 'https' : 'http'}://127.0.0.1:${port}` };
}

/** For `afterEach` and `afterAll`. */
export async function stopHosts(): Promise<void> {
  await Promise.all(running.splice(0).map((app) => app.close()));
}
