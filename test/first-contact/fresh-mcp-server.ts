import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Page } from 'playwright-core';

import { add } from '../../src/schematics/index.js';
import { StagedApplication } from '../src/schematics/staged-application.js';
import { freePort } from '../support/environment/free-port.js';

/** The root controller of the application, which the schematic does not write. */
const CONTROLLER = `import { Controller } from '@nestjs/common';

@Controller()
export class AppController {}
`;

const PASSWORD = 'down the rabbit hole';

/** The provider `Database` of the written application. */
interface Accounts {
  users: { create(username: string, password: string): Promise<unknown> };
}

/** The application that `nest add --features=mcp` writes, with the user `alice`. */
export class FreshMcpServer {
  private readonly environment = { ...process.env };
  private app: INestApplication | undefined;

  private constructor(
    readonly url: string,
    private readonly folder: string,
  ) {
    process.env['OAUTH2_ISSUER'] = url;
  }

  /** Writes the application to a new folder next to this file. */
  static async write(): Promise<FreshMcpServer> {
    const application = new StagedApplication({ 'src/app.controller.ts': CONTROLLER });
    const written = await application.run(add({ store: 'memory', features: 'pages,mcp' }));
    const folder = await mkdtemp(join(import.meta.dirname, '.written-'));
    for (const [path, text] of Object.entries(written.files())) {
      if (path.endsWith('spec.ts')) continue;
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return new FreshMcpServer(`http://localhost:${await freePort()}`, folder);
  }

  async start(prefix = ''): Promise<void> {
    const { AppModule } = (await import(join(this.folder, 'src/app.module.ts'))) as { AppModule: object };
    const { Database } = (await import(join(this.folder, 'src/oauth/database.ts'))) as { Database: Type<Accounts> };
    this.app = await NestFactory.create(AppModule, { logger: false });
    this.app.setGlobalPrefix(prefix);
    await this.app.listen(new URL(this.url).port, 'localhost');
    await this.app.get(Database).users.create('alice', PASSWORD);
  }

  /** Stops the application. Its folder stays for the next start. */
  async stop(): Promise<void> {
    await this.app?.close();
  }

  /** Removes the folder, and resets the variables. */
  async remove(): Promise<void> {
    process.env = this.environment;
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Fills in the login page, and waits for the consent page. Returns the text of that page. */
export async function signInForConsent(page: Page): Promise<string> {
  await page.getByLabel('Username').fill('alice');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Allow' }).waitFor();
  return page.getByRole('main').innerText();
}

/** Installs a program from npm into a new folder, without its install scripts. Returns the folder. */
export async function installProgram(program: string): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'program-'));
  const install = ['install', program, '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await promisify(execFile)('npm', [...install, '--prefix', place], { cwd: place });
  return place;
}
