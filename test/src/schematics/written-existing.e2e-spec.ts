import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as globals from '@jest/globals';
import { add } from '../../../src/schematics/index.js';
import { DRIZZLE, TYPEORM } from './existing-applications.js';
import { createShopDatabase } from './shop-database.js';
import { StagedApplication } from './staged-application.js';

const { afterAll } = globals;

const USERS = `CREATE TABLE users (id integer PRIMARY KEY AUTOINCREMENT, email text NOT NULL UNIQUE, name text,
  password_hash text NOT NULL, city text NOT NULL, role text NOT NULL DEFAULT 'reader');`;

/** Writes an existing application and what `nest add` adds to it. Returns the folder. */
async function writeApplication(files: Record<string, string | object>): Promise<string> {
  const application = await new StagedApplication(files).run(add({ existing: true, features: 'openid' }));
  return application.writeToFolder();
}

const drizzle = await writeApplication({ ...DRIZZLE, 'src/app.controller.ts': 'export class AppController {}\n' });
const typeorm = await writeApplication({ ...TYPEORM, 'src/app.controller.ts': 'export class AppController {}\n' });
afterAll(() => Promise.all([drizzle, typeorm].map((folder) => rm(folder, { recursive: true, force: true }))));

(await createShopDatabase(drizzle, typeorm, USERS)).close();

// The written tests use the globals of Jest, as in an application. They sign a user of the application in.
Object.assign(globalThis, globals);
await import(join(drizzle, 'test/oauth.written.ts'));
await import(join(typeorm, 'test/oauth.written.ts'));
