import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { port } from './address.js';
import { AppModule } from './app.module.js';

async function start(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn', 'debug'], abortOnError: false });
  await app.listen(port, '127.0.0.1');
  console.log(`Listening on ${await app.getUrl()}. For requests to try, see README.md`);
  console.log(`Open ${await app.getUrl()}/phone and sign in as alice with the password wonderland`);
}

start().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
