import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import session from 'express-session';
import passport from 'passport';
import { issuer, port } from './address.js';
import { AppModule } from './app.module.js';
import { secret } from './secret.js';

async function start(): Promise<void> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule, {
    logger: ['error', 'warn', 'debug'],
    abortOnError: false,
  });
  const isHttps = issuer.startsWith('https:');
  if (isHttps) app.set('trust proxy', 1);
  app.use(
    // Sessions live in this process: a real system gives a `store`.
    session({
      secret,
      resave: false,
      saveUninitialized: false,
      // `lax`: the cookie comes along when a client sends the browser here, and not with a form of somebody else.
      cookie: { httpOnly: true, sameSite: 'lax', secure: isHttps },
    }),
  );
  // Before every route, those of the library too: whoever is signed in stands in `request.user`.
  app.use(passport.session());
  await app.listen(port, '127.0.0.1');
  console.log(`Listening on ${await app.getUrl()}. What to ask it: README.md`);
}

start().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
