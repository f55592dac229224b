/** The models of Prisma by the tables of docs/schema. */
const MODELS: Readonly<Record<string, string>> = {
  oauth_clients: 'OAuthClient',
  oauth_grants: 'OAuthGrant',
  oauth_tokens: 'OAuthToken',
};

const camelCase = (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Returns the names in a list of quoted columns. */
const columnsIn = (list: string) => Array.from(list.matchAll(/["`](\w+)["`]/g), ([, name]) => name!);

/** Returns the fields in a list of quoted columns, as attributes of Prisma have them. */
const fieldsIn = (list: string) => `[${columnsIn(list).map(camelCase).join(', ')}]`;

interface Table {
  name: string;
  /** The lines between the brackets of `CREATE TABLE`. */
  lines: string[];
  /** The names of the indexes, and their lists of columns. */
  indexes: [name: string, columns: string][];
}

function tablesOf(sql: string): Table[] {
  return Array.from(sql.matchAll(/CREATE TABLE ["`](\w+)["`] \(\n(.*?)\n\)/gs), ([, name, body]) => {
    const lines = body!.split('\n').map((line) => line.trim().replace(/,$/, ''));
    const separate = sql.matchAll(new RegExp(`CREATE INDEX "(\\w+)" ON "${name}" +\\((.*?)\\)`, 'g'));
    const inside = body!.matchAll(/INDEX `(\w+)` \((.*?)\)/g);
    return { name: name!, lines, indexes: Array.from([...separate, ...inside], ([, index, list]) => [index!, list!]) };
  });
}

function modelOf({ name, lines, indexes }: Table, hasNativeTypes: boolean): string {
  const key = lines.find((line) => line.includes('PRIMARY KEY'))!;
  const constraint = /CONSTRAINT "(\w+)"/.exec(key)?.[1];
  const isColumn = (line: string) => !/^(?:CONSTRAINT|INDEX|PRIMARY KEY)\b/.test(line);
  const keys = columnsIn(isColumn(key) ? key : key.slice(key.indexOf('PRIMARY KEY')));
  const fields = lines.filter(isColumn).map((line) => {
    const [, column, type, length] = /^["`](\w+)["`] (\w+)(?:\((\d+)\))?/.exec(line)!;
    const scalar = { varchar: 'String', text: 'String', bigint: 'BigInt', integer: 'Int' }[type!]!;
    const isRequired = line.includes('NOT NULL');
    const attributes = [
      keys.length === 1 && keys[0] === column && (constraint ? `@id(map: "${constraint}")` : '@id'),
      camelCase(column!) !== column && `@map("${column}")`,
      hasNativeTypes && type === 'varchar' && `@db.VarChar(${length})`,
      hasNativeTypes && type === 'text' && '@db.Text',
    ];
    return [camelCase(column!), isRequired ? scalar : `${scalar}?`, attributes.filter(Boolean).join(' ')] as const;
  });
  const width = (part: 0 | 1) => Math.max(...fields.map((field) => field[part].length));
  const map = constraint ? `, map: "${constraint}"` : '';
  const blocks = [
    ...(keys.length > 1 ? [`@@id(${fieldsIn(keys.map((each) => `"${each}"`).join())}${map})`] : []),
    ...indexes.map(([index, list]) => `@@index(${fieldsIn(list)}, map: "${index}")`),
    `@@map("${name}")`,
  ];
  // The layout is that of `prisma format`.
  const rows = fields.map(([field, type, attributes]) =>
    `${field.padEnd(width(0))} ${type.padEnd(width(1))} ${attributes}`.trimEnd(),
  );
  return `model ${MODELS[name]} {\n${[...rows, '', ...blocks].map((line) => line && `  ${line}`).join('\n')}\n}\n`;
}

/** Returns the models of Prisma for the tables of a SQL file. SQLite has no native types in Prisma. */
export const modelsOf = (sql: string, hasNativeTypes: boolean): string =>
  tablesOf(sql)
    .map((table) => modelOf(table, hasNativeTypes))
    .join('\n');
