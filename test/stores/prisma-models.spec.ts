import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { modelsOf } from './prisma-models.js';

const FOLDER = join(import.meta.dirname, '../../docs/schema');

describe.each(['postgresql', 'mariadb', 'sqlite'])('docs/schema/%s.prisma', (database) => {
  // To write the files: WRITE_SCHEMA=1 npm run jest -- --selectProjects suite --testPathPatterns prisma-models
  it('has models with the columns, keys and indexes of the SQL file', () => {
    const models = modelsOf(readFileSync(join(FOLDER, `${database}.sql`), 'utf8'), database !== 'sqlite');
    const path = join(FOLDER, `${database}.prisma`);
    if (process.env['WRITE_SCHEMA']) writeFileSync(path, models);
    expect(readFileSync(path, 'utf8')).toBe(models);
    expect(models.match(/^model /gm)).toHaveLength(3);
  });
});
