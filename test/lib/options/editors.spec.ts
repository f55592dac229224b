import { expect, it } from '@jest/globals';
import { ENGINE_OPTIONS } from '../../../lib/options/engine-options.js';
import { TABLES } from '../../../src/configuration/option-table.js';
import { hoverMembers } from '../../support/servers/language-server.js';

const ENGINE = Object.keys(ENGINE_OPTIONS);
const MODULE = Object.keys(TABLES.forRoot);

const literal = (names: readonly string[]) => `{\n${names.map((name) => `  ${name}: undefined,\n`).join('')}}`;

const PAGE = `import { OAuth2Module, OAuth2Server } from '../../src/index.js';
new OAuth2Server(${literal(ENGINE)});
OAuth2Module.forRoot(${literal(MODULE)});
`;

// TypeScript 7.0 shows no doc comment for a property that went through `Omit`, `Pick` or `Partial`.
it('an editor shows a doc comment for each option of OAuth2Server and OAuth2Module.forRoot()', async () => {
  const members = await hoverMembers(PAGE);
  expect(members.map(({ name }) => name)).toEqual([...ENGINE, ...MODULE]);
  // The type is in a code fence. The doc comment follows it.
  expect(members.filter(({ shown }) => !shown.split('```').at(-1)?.trim())).toEqual([]);
}, 60_000);
