import session from 'express-session';
import type { INestApplication, Type } from '@nestjs/common';
import { OAuth2Module, type User } from 'nest-oauth2';
import { pages, type Sessions } from 'nest-oauth2/pages';
import { MemoryStore, type Users } from 'nest-oauth2/stores/memory';

import { PageBrowser } from '../../src/pages/page-browser.js';
import { SECRET } from '../../support/servers/demo.js';
import { startApplication } from '../../support/servers/test-application.js';
import { GuideCode } from './guide-code.js';

/** Users that a test can add. */
export type OpenUsers = Users & { create(username: string, password: string, network?: string): Promise<unknown> };

/** A running application with the code of a guide. */
export interface GuideApplication {
  url: string;
  browser(): PageBrowser;
}

const running = (url: string): GuideApplication => ({ url, browser: () => new PageBrowser(url) });

/** The application of `docs/reference/features/sessions.md`, with a sign-up page. */
export async function startSignUp(guide: GuideCode) {
  process.env['OAUTH2_SECRET'] = SECRET;
  const { AppModule } = await guide.import<{ AppModule: Type }>('src/sign-up/app.module.ts');
  const { users } = await guide.import<{ users: OpenUsers }>('src/sign-up/users.ts');
  const { url } = await startApplication('express', { imports: [AppModule] });
  return { ...running(url), users };
}

export const writeSignUp = (name: string) => GuideCode.write(name, ['docs/reference/features/sessions.md']);

const alice = { id: '1', name: 'Alice', email: 'alice@example.com' };

/** One user, Alice, with the password `wonderland`. */
export const oneUser = {
  findById: (id: string): User | false => id === alice.id && alice,
  findByCredentials: (_name: string, password: string): User | false => password === 'wonderland' && alice,
};

/** The application of `docs/guides/sign-out-and-deletion.md`, with a page that lists and ends sessions. */
export async function startSessionList(guide: GuideCode): Promise<GuideApplication> {
  const { SessionsController } = await guide.import<{ SessionsController: Type }>('src/sessions.controller.ts');
  const model = new MemoryStore({ users: oneUser });
  const imports = [OAuth2Module.forRoot({ model, secret: SECRET, features: [pages()] })];
  const { url } = await startApplication('express', { imports, controllers: [SessionsController] });
  return running(url);
}

export const writeSessionList = (name: string) => GuideCode.write(name, ['docs/guides/sign-out-and-deletion.md']);

/** The application of `docs/guides/own-pages.md`, with its own login page. */
export async function startOwnLogin(guide: GuideCode): Promise<GuideApplication> {
  const { LoginController } = await guide.import<{ LoginController: Type }>('src/login.controller.ts');
  const { sessions } = await guide.import<{ sessions: Sessions }>('src/sessions.ts');
  const model = new MemoryStore({ users: oneUser });
  const features = [pages({ login: '/login', sessions })];
  const imports = [OAuth2Module.forRoot({ model, secret: SECRET, features })];
  const prepare = (app: INestApplication) =>
    app.use(session({ secret: SECRET, resave: false, saveUninitialized: true, cookie: { sameSite: 'lax' } }));
  const { url } = await startApplication('express', { imports, controllers: [LoginController] }, { prepare });
  return running(url);
}

/** The users of the guide are those of this test. */
export const writeOwnLogin = (name: string) =>
  GuideCode.write(name, ['docs/guides/own-pages.md'], {
    'src/store.ts': `export { oneUser as users } from '../../../docs/attacks/guide-applications.js';`,
  });
