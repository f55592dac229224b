import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { schema } from '@angular-devkit/core';
import { describe, expect, it } from '@jest/globals';
import type { AddOptions } from '../../../src/schematics/choices.js';
import { add } from '../../../src/schematics/index.js';
import { DRIZZLE } from './existing-applications.js';
import { StagedApplication } from './staged-application.js';

const SCHEMA = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../schematics/nest-add.json'), 'utf8'),
) as schema.JsonSchema;

/** The answers by the ID of their prompts. */
type Answers = Record<string, string | string[]>;

interface Prompted {
  questions: { id: string; message: string; type: string; multiselect: boolean | undefined; values: string[] }[];
  options: AddOptions;
}

/** Validates options as the schematics engine does, with these answers to its prompts. */
async function prompt(options: AddOptions, answers: Answers = {}): Promise<Prompted> {
  const questions: Prompted['questions'] = [];
  const registry = new schema.CoreSchemaRegistry();
  registry.addPostTransform(schema.transforms.addUndefinedDefaults);
  registry.usePromptProvider(async (definitions) => {
    for (const { id, message, type, multiselect, items = [] } of definitions) {
      const values = items.map((item) => String(typeof item === 'object' ? item.value : item));
      questions.push({ id, message, type, multiselect, values });
    }
    return Object.fromEntries(definitions.map(({ id, default: value }) => [id, answers[id] ?? (value as string)]));
  });
  const validate = await registry.compile(SCHEMA);
  const { data, success, errors } = await validate(
    { ...options },
    {
      withPrompts: true,
    },
  );
  expect({ success, errors }).toMatchObject({ success: true });
  return { questions, options: data as AddOptions };
}

describe('the prompts of nest add nest-oauth2', () => {
  it('ask for the store and for several features, and for nothing else', async () => {
    const { questions, options } = await prompt({});
    expect(questions).toMatchObject([
      { id: '/store', message: 'Where does the server store its data?', type: 'list' },
      { id: '/features', message: 'What else does the server need?', type: 'list', multiselect: true },
    ]);
    expect(options).toMatchObject({ store: 'memory', features: [] });
  });

  it('ask for nothing that a flag sets', async () => {
    const { questions } = await prompt({ store: 'redis', features: 'openid,mcp' });
    expect(questions).toEqual([]);
    const others = await prompt({ store: 'redis' });
    expect(others.questions.map(({ id }) => id)).toEqual(['/features']);
  });

  it('offer only stores and features that the schematic writes', async () => {
    const { questions } = await prompt({});
    const [stores, features] = questions;
    expect(stores!.values.length).toBeGreaterThan(10);
    expect(features!.values).toEqual(['openid', 'mcp', 'accounts']);
    for (const store of stores!.values) {
      // The existing table of users has its own passwords.
      const chosen = features!.values.filter((name) => store !== 'existing' || name !== 'accounts');
      const { options } = await prompt({}, { '/store': store, '/features': chosen });
      const application = await new StagedApplication(store === 'existing' ? DRIZZLE : {}).run(add(options));
      expect(application.files()).toHaveProperty(['src/oauth/oauth.module.ts']);
      const isServer = store !== 'none';
      expect('src/oauth/mcp.controller.ts' in application.files()).toBe(isServer);
      expect(application.read('src/oauth/oauth.module.ts').includes('openid()')).toBe(isServer);
    }
  });
});
