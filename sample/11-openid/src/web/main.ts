import { randomBytes } from 'node:crypto';
import session from 'express-session';
import { web } from '../addresses.js';
import { start } from '../start.js';
import { AppModule } from './app.module.js';

start(AppModule, web, (app) => {
  const cookie = { httpOnly: true, sameSite: 'lax', secure: web.startsWith('https:') } as const;
  const secret = process.env.SESSION_SECRET ?? randomBytes(32).toString('base64url');
  app.use(session({ secret, name: 'web', resave: false, saveUninitialized: false, cookie }));
});
