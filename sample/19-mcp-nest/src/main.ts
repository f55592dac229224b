import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { issuer, port } from './address.js';
import { AppModule } from './app.module.js';
import { mcpServer } from './mcp-server.js';

async function start(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'], abortOnError: false });
  app.connectMicroservice({ strategy: mcpServer });
  app.enableShutdownHooks();
  await app.startAllMicroservices();
  await app.listen(port, '127.0.0.1');
  console.log(`The MCP endpoint is ${issuer}/mcp. To connect a client, see README.md`);
}

start().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
