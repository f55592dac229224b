import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { ATTACKS } from 'nest-oauth2/testing';
import { format } from 'prettier';

const page = join(import.meta.dirname, '../../docs/reference/attacks.md');

/** The headings of the page, with the beginnings of the IDs of their attacks. */
const TOPICS: readonly [heading: string, ids: RegExp][] = [
  ['Codes and PKCE', /^(?:code|pkce)-|^race-code/],
  ['Redirect URIs and redirects', /^(?:redirect|open-redirect|mix-up|state|host)/],
  ['Accounts and other providers', /^(?:reset|second-factor|elicitation|upstream)/],
  ['Organizations and personal access tokens', /^(?:organization|personal-token|csrf-personal)/],
  [
    'Pages, consent and sessions',
    /^(?:csrf|consent|click|page|referrer|xss|session|login|logout|prompt|cors)|^race-consent/,
  ],
  ['Clients', /^(?:client|introspection|revocation|token|registration|ssrf|assertion)|^race-assertion/],
  ['Scopes, resources and the guard', /^(?:scope|guard|resource|audience|implicit|jwt|id-token)/],
  ['Refresh tokens and lifetimes', /^(?:refresh|access|snapshot)|^race-refresh/],
  ['DPoP, signed and pushed requests', /^(?:dpop|request-object|pushed)|^race-(?:dpop|pushed)/],
  ['Devices', /^(?:device|flood-user-codes)|^race-device/],
  ['Token exchange, certificates and CIBA', /^(?:exchange|mtls|ciba)/],
  ['Tenants and floods', /^(?:tenant|flood)/],
];

/** Writes the table with `RECORD_ATTACKS=1 npm test -- test/attack-lab/reference`. */
it('docs/reference/attacks.md lists all attacks', async () => {
  const text = await readFile(page, 'utf8');
  const left = new Set(ATTACKS);
  const sections = TOPICS.map(([heading, ids]) => {
    const rows = [...left].filter(({ id }) => ids.test(id));
    for (const row of rows) left.delete(row);
    const lines = rows.map(
      ({ id, title, source, needs }) => `| \`${id}\` | ${title} | ${source} | ${needs.join(', ')} |`,
    );
    return `## ${heading}\n\n| attack | what it tries | source | needs |\n| --- | --- | --- | --- |\n${lines.join('\n')}`;
  });
  expect([...left]).toEqual([]);
  const head = text.slice(0, text.indexOf('<!-- attacks -->'));
  const whole = `${head}<!-- attacks -->\n\n${sections.join('\n\n')}\n`;
  const formatted = await format(whole, { parser: 'markdown', printWidth: 120, proseWrap: 'preserve' });
  if (process.env['RECORD_ATTACKS']) await writeFile(page, formatted);
  expect(await readFile(page, 'utf8')).toBe(formatted);
});
