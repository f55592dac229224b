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
    // Sessions are stored in memory here. In production, set `store`.
    session({
      secret,
      resave: false,
      saveUninitialized: false,
      // `lax` sends the cookie when a client redirects the browser here, but not with forms of other sites.
      cookie: { httpOnly: true, sameSite: 'lax', secure: isHttps },
    }),
  );
  // Sets `request.user` before every route, including those of the library.
  app.use(passport.session());
  await app.listen(port, '127.0.0.1');
  console.log(`Listening on ${await app.getUrl()}. For requests to try, see README.md`);
}

start().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
