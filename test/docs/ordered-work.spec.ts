import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { accounts } from 'nest-oauth2/accounts';
import * as features from 'nest-oauth2/features';
import * as jose from 'nest-oauth2/jose';
import * as mcp from 'nest-oauth2/mcp';
import * as openid from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';

import { rsaKey } from '../support/keys/rsa-key.js';

/** Options with which each factory of a feature can be called. A factory may reject those of the others. */
const OPTIONS = {
  resource: 'https://api.example.com',
  verificationUri: 'https://id.example.com/device',
  scopes: ['read'],
  from: [{ ...rsaKey.export({ format: 'jwk' }), alg: 'RS256' }],
};

/** Returns the IDs of the endpoints of all features that the package exports. */
function endpointIds(): Set<string> {
  const ids = new Set(['authorize', 'token']);
  const add = (feature: unknown) => {
    const { endpoints = {} } = (feature ?? {}) as { endpoints?: object };
    // One document for each resource: `resource-metadata/mcp`.
    for (const id of Object.keys(endpoints)) ids.add(id.split('/', 1)[0]!);
  };
  for (const exported of Object.values({ ...features, ...jose, ...mcp, ...openid }) as unknown[]) {
    if (typeof exported !== 'function') continue;
    for (const options of [OPTIONS, { from: OPTIONS.from }, {}]) {
      try {
        const made: unknown = (exported as (options: object) => unknown)(options);
        if (made instanceof Promise) made.catch(() => undefined);
        for (const feature of [made].flat()) add(feature);
      } catch {
        // A class, or a function that is no factory of a feature or has other options.
      }
    }
  }
  const mail = { send: () => undefined };
  add(
    accounts({
      users: { findByEmail: () => undefined, create: () => ({ id: '1' }) },
      mail,
      authenticator: true,
      passkeys: true,
      deletion: true,
    } as never),
  );
  add(pages({ devices: true, secondFactor: { by: { isEnrolled: () => true, verify: () => true } } }));
  return ids;
}

const page = readFileSync(join(import.meta.dirname, '../../docs/explanation/security-model.md'), 'utf8');
const [, table = ''] = page.split('## Work that a stranger can order', 2);
const rows = table
  .split('\n## ', 1)[0]!
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe('the table of the work that a stranger can order', () => {
  it('has a row for every endpoint', () => {
    const ids = endpointIds();
    const known = [
      'pushed_authorization_request',
      'device_authorization',
      'registration',
      'userinfo',
      'second_factor',
      'jwks',
    ];
    expect([...ids]).toEqual(expect.arrayContaining(known));
    const listed = new Set(
      rows.flatMap(([, endpoints = '']) => [...endpoints.matchAll(/`([\w-]+)`/g)].map(([, id]) => id)),
    );
    expect([...ids].filter((id) => !listed.has(id))).toEqual([]);
    expect([...listed].filter((id) => !ids.has(id!))).toEqual([]);
  });

  it('names the work, the endpoints, the limit, the key, and whether processes share it, in each row', () => {
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) expect([row.length, row.every((cell) => cell !== '')]).toEqual([5, true]);
  });
});
