import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';

type Prepare = (app: NestExpressApplication) => void;

/** Starts one of the applications, each of which is a process of its own. */
export function start(module: Type, place: string, prepare: Prepare = () => {}): void {
  listen(module, new URL(place), prepare).catch((error: Error) => {
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
  console.log(`Listening on ${await app.getUrl()}. What to ask it: README.md`);
}
