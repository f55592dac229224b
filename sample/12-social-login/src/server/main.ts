import session from 'express-session';
import { issuer } from '../addresses.js';
import { start } from '../start.js';
import { AppModule } from './app.module.js';
import { secret } from './secret.js';

start(AppModule, `http://127.0.0.1:${process.env.PORT ?? 3000}`, (app) => {
  const secure = issuer.startsWith('https:');
  if (secure) app.set('trust proxy', 1);
  // The session of the client. `lax` sends its cookie when the authorization server redirects the browser back.
  const cookie = { httpOnly: true, sameSite: 'lax', secure } as const;
  // With `__Host-`, other subdomains cannot set the cookie.
  const name = secure ? '__Host-notes' : 'notes';
  // Sessions are stored in memory here. In production, set `store`.
  app.use(session({ secret, name, resave: false, saveUninitialized: false, cookie }));
});
