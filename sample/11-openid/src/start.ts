import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';

type Prepare = (app: NestExpressApplication) => void;

/** Starts one application of this sample at a URL. Each application runs in its own process. */
export function start(module: Type, url: string, prepare: Prepare = () => {}): void {
  listen(module, new URL(url), prepare).catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}

async function listen(module: Type, { hostname, port }: URL, prepare: Prepare): Promise<void> {
  const app = await NestFactory.create<NestExpressApplication>(module, {
    logger: ['error', 'warn', 'debug'],
    abortOnError: false,
  });
  prepare(app);
  await app.listen(port || 80, hostname);
  console.log(`Listening on ${await app.getUrl()}. For requests to try, see README.md`);
  console.log(`Open ${await app.getUrl()}/ in a browser`);
}
