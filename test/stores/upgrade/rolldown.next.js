import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** A migration that adds a nullable column, as the next version appends it. */
const MIGRATION = `
  class AddNote implements MigrationInterface {
    readonly name = \`AddNote_\${names.grants}_1767225600001\`;

    async up(runner: QueryRunner): Promise<void> {
      const column = { name: 'note', type: 'text', isNullable: true, ...(await exactCollation(runner)) };
      await runner.addColumn(names.grants, new TableColumn(column));
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.dropColumn(names.grants, 'note');
    }
  }
  return [CreateTables, AddNote];`;

/** What the next version changes in the sources: a column of grants, which each new grant has, and its migration. */
const CHANGES = {
  'contract/schema.ts': [
    ["  clientGeneration: count('client_generation'),", "$&\n  note: nullable(text('note')),"],
    ['clientGeneration: 0,', "$& note: 'next',"],
  ],
  'typeorm/migrations.ts': [
    ['  Table,', '$&\n  TableColumn,'],
    ['return [CreateTables];', MIGRATION],
  ],
};

/** Bundles the stores of a throw-away next version, whose schema has one more column. Packages remain external. */
export default {
  input: path('next-entry.ts'),
  external: (id) => !/^[./]/.test(id),
  platform: 'node',
  tsconfig: path('../../../tsconfig.json'),
  logLevel: 'warn',
  plugins: [
    {
      name: 'next-version',
      transform(code, id) {
        const changes = Object.entries(CHANGES).find(([file]) => id.endsWith(`/lib/stores/${file}`))?.[1] ?? [];
        return changes.reduce((text, [from, to]) => {
          if (!text.includes(from)) throw new Error(`${id} does not contain \`${from}\``);
          return text.replace(from, to);
        }, code);
      },
    },
  ],
};
