import { addImport } from '../root-module.js';
import { readText, type SchematicContext, type Tree, writeText } from '../tree.js';
import type { Existing } from './existing-application.js';

/** Adds the tables of the store to the tables that the application declares in its sources. */
export function extendSchema(tree: Tree, existing: Existing, logger: SchematicContext['logger']): void {
  if (existing.store === 'typeorm') extendDataSources(tree, existing, logger);
  if (existing.store === 'drizzle') extendDrizzle(tree, existing);
}

/** Adds the entities and the migrations of the store to each list of the application. */
function extendDataSources(tree: Tree, { sources }: Existing, logger: SchematicContext['logger']): void {
  let hasMigrations = false;
  for (const [file, text] of sources) {
    if (!/\bTypeOrmModule\.forRoot|\bnew DataSource\(/.test(text)) continue;
    if (text.includes('oauthEntities(') || text.includes('oauthMigrations(')) return;
    const isLoaded = /\bautoLoadEntities:\s*true/.test(text);
    const entities = isLoaded ? text : text.replace(/\bentities:\s*\[/, '$&...oauthEntities(), ');
    const edited = entities.replace(/\bmigrations:\s*\[/, '$&...oauthMigrations(), ');
    hasMigrations ||= edited !== entities || /\bsynchronize:\s*true/.test(text);
    const names = [
      ...(entities === text ? [] : ['oauthEntities']),
      ...(edited === entities ? [] : ['oauthMigrations']),
    ];
    if (names.length === 0) continue;
    writeText(tree, file, addImport(edited, `import { ${names.join(', ')} } from 'nest-oauth2/stores/typeorm';`));
  }
  if (hasMigrations) return;
  logger.warn(
    'The sources contain no list of migrations. Add `...oauthMigrations()` of nest-oauth2/stores/typeorm to the option ' +
      '`migrations` of your DataSource, and run the migrations.',
  );
}

const DIALECTS: Readonly<Record<string, string>> = { postgres: 'postgresql', mysql: 'mysql', mariadb: 'mariadb' };

/** Appends the tables of the store to the file that contains the table of the users. */
function extendDrizzle(tree: Tree, { users, database = 'sqlite' }: Existing): void {
  const text = readText(tree, users.file)!;
  if (text.includes('oauthTables(')) return;
  const edited = addImport(text, "import { oauthTables } from 'nest-oauth2/stores/drizzle';");
  const tables = `\n/** The tables of the authorization server. */\nexport const { oauthClients, oauthGrants, oauthTokens } =\n  oauthTables('${DIALECTS[database] ?? database}');\n`;
  writeText(tree, users.file, edited + (edited.endsWith('\n') ? '' : '\n') + tables);
}
