import 'reflect-metadata';
import type { INestApplication, NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';

const options: NestApplicationOptions = { logger: ['error', 'warn'], abortOnError: false, forceCloseConnections: true };

/** Starts the application on a free port, with the HTTP adapter in the environment variable `HTTP_ADAPTER`. */
export async function start(): Promise<INestApplication> {
  const app =
    process.env['HTTP_ADAPTER'] === 'fastify'
      ? await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), options)
      : await NestFactory.create(AppModule, options);
  await app.listen(0, '127.0.0.1');
  return app;
}
