import { insideBrackets, type Sources } from './sources.js';
import { type Column, sampleOf, type Table } from './users-table.js';

const PRISMA_TYPES: Readonly<Record<string, string>> = {
  String: 'string',
  Int: 'number',
  Float: 'number',
  BigInt: 'bigint',
  Boolean: 'boolean',
  DateTime: 'Date',
};

/** Reads the models of a Prisma schema. */
export function prismaTables(file: string, schema: string): Table[] {
  const text = schema.replaceAll(/\/\/.*$/gm, '');
  const enums = new Map([...text.matchAll(/^enum\s+(\w+)\s*\{\s*(\w+)/gm)].map(([, name, first]) => [name!, first!]));
  return [...text.matchAll(/^model\s+(\w+)\s*\{([^}]*)\}/gm)].map(([, name, body]) => {
    const fields = [...body!.matchAll(/^[ \t]+(\w+)[ \t]+(\w+)(\[\]|\?)?([^\n]*)$/gm)];
    return { name: name!, file, columns: fields.flatMap((field) => prismaColumn(field, enums)) };
  });
}

function prismaColumn(
  [, name, kind, suffix, attributes]: RegExpExecArray,
  enums: ReadonlyMap<string, string>,
): Column[] {
  const first = enums.get(kind!);
  const base = first === undefined ? PRISMA_TYPES[kind!] : 'string';
  // Other fields are relations.
  if (base === undefined) return [];
  const type = base + (suffix === '[]' ? '[]' : suffix === '?' ? ' | null' : '');
  const isId = /@id\b/.test(attributes!);
  return [
    {
      name: name!,
      type,
      isId,
      isUnique: isId || /@unique\b/.test(attributes!),
      isRequired: suffix === undefined && !/@(?:default|updatedAt)\b/.test(attributes!),
      sample: first === undefined ? sampleOf(type) : `'${first}'`,
    },
  ];
}

const DECORATED = /^[ \t]*(?:public\s+|readonly\s+|declare\s+)*(\w+)([!?]?)\s*:\s*([^;=\n]+)/m;

/** Reads the classes that TypeORM's `@Entity()` or Mongoose's `@Schema()` decorates. */
export function decoratedTables(sources: Sources, orm: 'typeorm' | 'mongoose'): Table[] {
  const pattern = orm === 'typeorm' ? /@Entity\(/g : /@Schema\(/g;
  return [...sources].flatMap(([file, text]) =>
    [...text.matchAll(pattern)].flatMap(({ index }) => {
      const declared = /\bexport class (\w+)[^{]*\{/.exec(text.slice(index));
      if (!declared) return [];
      const start = index + declared.index + declared[0].length - 1;
      const columns = decoratedColumns(insideBrackets(text, start), orm);
      const id = { name: '_id', type: 'ObjectId', isId: true, isUnique: true, isRequired: false, sample: '' };
      return [{ name: declared[1]!, file, columns: orm === 'mongoose' ? [id, ...columns] : columns }];
    }),
  );
}

function decoratedColumns(body: string, orm: 'typeorm' | 'mongoose'): Column[] {
  const pattern = orm === 'typeorm' ? /@(PrimaryGeneratedColumn|PrimaryColumn|Column)\(/g : /@(Prop)\(/g;
  return [...body.matchAll(pattern)].flatMap(({ index, 0: all, 1: decorator }) => {
    const options = insideBrackets(body, index + all.length - 1);
    const [, name, mark, declared] = DECORATED.exec(body.slice(index + all.length + options.length + 1)) ?? [];
    if (name === undefined) return [];
    const isOptional =
      orm === 'mongoose'
        ? !/\brequired:\s*true/.test(options)
        : mark === '?' || /\bnullable:\s*true|\bdefault:/.test(options);
    const type = tsType(declared!.trim());
    return [
      {
        name,
        type,
        isId: decorator!.startsWith('Primary'),
        isUnique: /\bunique:\s*true/.test(options) || decorator!.startsWith('Primary'),
        isRequired: !isOptional && decorator !== 'PrimaryGeneratedColumn' && !/\bdefault:/.test(options),
        sample: sampleOf(type),
      },
    ];
  });
}

/** Returns a declared type. A type of the application, such as an enum, counts as `unknown`. */
const tsType = (declared: string) =>
  /^(?:string|number|bigint|boolean|Date)(?:\[\])?(?:\s*\|\s*(?:null|undefined))*$/.test(declared)
    ? declared
    : 'unknown';

const DRIZZLE_TYPES: readonly [pattern: RegExp, type: string][] = [
  [/^(?:text|varchar|char|uuid|citext)$/, 'string'],
  [/^(?:integer|int|serial|bigserial|bigint|smallint|smallserial|real|mediumint|tinyint)$/, 'number'],
  [/^boolean$/, 'boolean'],
  [/^(?:timestamp|datetime|date)$/, 'Date'],
];

/** Reads the exported tables of Drizzle. */
export function drizzleTables(sources: Sources): Table[] {
  return [...sources].flatMap(([file, text]) =>
    [...text.matchAll(/export const (\w+)\s*=\s*(?:pg|mysql|sqlite)Table\(/g)].map(({ index, 0: all, 1: name }) => {
      const body = insideBrackets(text, text.indexOf('{', index + all.length));
      const columns = [...body.matchAll(/^\s*(\w+):\s*(\w+)\(([^]*?)(?=^\s*\w+:\s*\w+\(|(?![^]))/gm)];
      return { name: name!, file, columns: columns.map(drizzleColumn) };
    }),
  );
}

function drizzleColumn([, name, kind, options]: RegExpExecArray): Column {
  const base = DRIZZLE_TYPES.find(([pattern]) => pattern.test(kind!))?.[1] ?? 'unknown';
  const isBig = kind!.startsWith('big') && /mode:\s*['"]bigint['"]/.test(options!);
  const isId = /\.primaryKey\(/.test(options!);
  const isRequired = /\.notNull\(/.test(options!) && !/\.(?:default\w*|\$default\w*)\(/.test(options!);
  const type = isBig ? 'bigint' : base;
  const isNullable = !isId && !/\.notNull\(/.test(options!);
  return {
    name: name!,
    type: isNullable ? `${type} | null` : type,
    isId,
    isUnique: isId || /\.unique\(/.test(options!),
    isRequired,
    sample: sampleOf(type),
  };
}
