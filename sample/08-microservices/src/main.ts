import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { grpc, tcp } from './services.js';

async function start(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn', 'debug'], abortOnError: false });
  app.connectMicroservice(tcp, { inheritAppConfig: true });
  app.connectMicroservice(grpc, { inheritAppConfig: true });
  await app.startAllMicroservices();
  await app.listen(process.env.PORT ?? 3000, '127.0.0.1');
  console.log(`Listening on ${await app.getUrl()}. For requests to try, see README.md`);
}

start().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
