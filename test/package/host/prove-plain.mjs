import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './cli-app.mjs';

export const proof = {
  application: () => NestFactory.create(AppModule, { logger: false }),
  lab: { signIn: false },
};
