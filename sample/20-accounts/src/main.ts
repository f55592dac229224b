import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { issuer, port } from './address.js';
import { AppModule } from './app.module.js';

async function start(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn', 'debug'], abortOnError: false });
  app.enableShutdownHooks();
  await app.listen(port, '127.0.0.1');
  // Print the issuer: passkeys require the host name `localhost`, not an IP address.
  console.log(`Listening on ${issuer}. For requests to try, see README.md`);
}

start().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
