import 'reflect-metadata';
import { fileURLToPath } from 'node:url';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { port } from './address.js';
import { AppModule } from './app.module.js';
import { greeting } from './greeting.js';

async function start(): Promise<void> {
  // `debug` logs why a request was refused. `log` is omitted because it lists every route.
  const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ['error', 'warn', 'debug'] });
  app.disable('x-powered-by');
  app.useStaticAssets(fileURLToPath(new URL('../public', import.meta.url)), { prefix: '/assets/' });
  await app.listen(port, '127.0.0.1');
  console.log(greeting(await app.getUrl()));
}

const remedies: Record<string, string> = {
  EADDRINUSE: `Port ${port} is already in use. Choose another port: PORT=3001 npm start`,
  ERR_SOCKET_BAD_PORT: 'PORT must be a number from 0 to 65535.',
};

start().catch((error: NodeJS.ErrnoException) => {
  console.error(remedies[error.code ?? ''] ?? error);
  process.exitCode = 1;
});
