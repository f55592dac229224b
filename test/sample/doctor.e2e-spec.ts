import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { OAuth2Report } from 'nest-oauth2/report';
import { ANY_PLATFORM, startApplication, stopApplications } from '../support/servers/test-application.js';
import { INSTALLED, LOADED } from './explained-findings.js';

const SAMPLES = join(import.meta.dirname, '../../sample');

/** Returns the folders of the samples with a module that imports `OAuth2Module`. */
async function samples(): Promise<string[]> {
  const [folders, files] = [await readdir(SAMPLES), [] as string[]];
  for (const folder of folders) {
    const all = await readdir(join(SAMPLES, folder, 'src'), { recursive: true }).catch(() => []);
    files.push(...all.filter((one) => /(?:^|\/)app\.module\.ts$/.test(one)).map((one) => `${folder}/src/${one}`));
  }
  const texts = await Promise.all(files.map((file) => readFile(join(SAMPLES, file), 'utf8')));
  return files.filter((_, at) => texts[at]!.includes('OAuth2Module.')).map((file) => file.replace(/\/[^/]+$/, ''));
}

describe('doctor', () => {
  const file = process.env['DATABASE_FILE'];
  afterAll(async () => {
    await stopApplications();
    if (file === undefined) delete process.env['DATABASE_FILE'];
  });

  it.each(Object.entries(LOADED))('has no unexplained findings in sample/%s', async (sample, explained) => {
    process.env['DATABASE_FILE'] = ':memory:';
    const { AppModule } = (await import(`../../sample/${sample}/app.module.js`)) as { AppModule: Type };
    const { app } = await startApplication(ANY_PLATFORM[0]!, { imports: [AppModule], providers: [OAuth2Report] });
    const { findings, rules } = await app.get(OAuth2Report).create();
    expect(rules).toBeGreaterThanOrEqual(60);
    const found = findings.filter(({ severity }) => severity !== 'info');
    expect(found.map(({ rule, subject }) => `${rule} ${subject}`)).toEqual(Object.keys(explained));
  });

  it('judges every sample with a server, here or in the slow tests', async () => {
    const judged = [...Object.keys(LOADED), ...Object.keys(INSTALLED).map((name) => `${name}/src`)];
    expect(judged.toSorted()).toEqual((await samples()).toSorted());
  });
});
