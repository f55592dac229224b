import type { Exported } from './sources.js';

/** How the application represents the ID of a user. */
export type IdKind = 'text' | 'number' | 'bigint' | 'objectId';

/** A column of a table of users. */
export interface Column {
  name: string;
  /** The TypeScript type of the column. */
  type: string;
  isUnique: boolean;
  isId: boolean;
  /** Whether a new row needs a value. */
  isRequired: boolean;
  /** A value of the column as TypeScript, for rows of tests. */
  sample: string;
}

/** A table in which an application may keep its users. */
export interface Table extends Exported {
  columns: readonly Column[];
}

/** The table in which an application keeps its users. */
export interface UsersTable extends Exported {
  id: { name: string; kind: IdKind };
  /** The column with the name that users type when they sign in. */
  login: string;
  /** Whether the column `login` contains e-mail addresses. */
  isEmail: boolean;
  /** The column with the hash of the password. */
  hash: string;
  /** The column with the name that pages show, if there is one. */
  displayName: string | undefined;
  /** The TypeScript expression of the roles of a `row`, if the table has a column for them. */
  roles: string | undefined;
  /** The TypeScript types of the columns that the written code reads. */
  types: Readonly<Record<string, string>>;
  /** The remaining columns that a new row needs, with a value for tests. */
  samples: Readonly<Record<string, string>>;
  /** The columns that a new user needs, without the name, with a first value. */
  initial: Readonly<Record<string, string>>;
}

const LOGINS = ['email', 'username', 'userName', 'login', 'emailAddress', 'mail', 'name'];
/** The sample of a text. */
const TEXT = "'e2e'";

const EMAILS = ['email', 'emailAddress', 'mail'];
const HASH = /^(?!.*(?:reset|token|changed|updated|expires|salt|hint|version|At$))(?=.*(?:pass|pwd|hash)).*$/i;
const USERS = /^(?:user|account|member|customer|person)s?(?:table|entity)?$/i;

const KINDS: Readonly<Record<string, IdKind>> = { number: 'number', bigint: 'bigint', ObjectId: 'objectId' };

/** Returns the table of the users: it has an ID, a name for the sign-in and a password. */
export function findUsersTable(tables: readonly Table[]): UsersTable | undefined {
  const found = tables.flatMap((table) => usersTable(table) ?? []);
  return found.find(({ name }) => USERS.test(name)) ?? found.at(0);
}

const isText = ({ type }: Column) => /^string\b/.test(type);

function usersTable({ name, file, columns }: Table): UsersTable | undefined {
  const id = columns.find(({ isId }) => isId);
  const hash = columns.find((column) => isText(column) && HASH.test(column.name));
  const logins = LOGINS.flatMap((wanted) => columns.filter((column) => isText(column) && column.name === wanted));
  const login = logins.find(({ isUnique }) => isUnique) ?? logins.at(0);
  if (!id || !hash || !login) return undefined;
  const displayName = columns.find(
    (column) => isText(column) && column !== login && ['name', 'displayName', 'fullName'].includes(column.name),
  );
  const role = columns.find((column) => ['role', 'roles'].includes(column.name) && /^string\b/.test(column.type));
  const isList = role?.type.startsWith('string[]');
  const read = [id, login, hash, displayName, role].filter((column) => column !== undefined);
  const rest = columns.filter((column) => column.isRequired && ![id, login, hash].includes(column));
  return {
    name,
    file,
    id: { name: id.name, kind: KINDS[id.type] ?? 'text' },
    login: login.name,
    isEmail: EMAILS.includes(login.name),
    hash: hash.name,
    displayName: displayName?.name,
    roles: role && (isList ? `row.${role.name}` : `[row.${role.name}]`),
    types: Object.fromEntries(read.map((column) => [column.name, column.type])),
    samples: valuesOf(rest),
    initial: valuesOf(rest.filter((column) => column !== displayName).map(withoutText)),
  };
}

const valuesOf = (columns: readonly Column[]) => Object.fromEntries(columns.map(({ name, sample }) => [name, sample]));

/** Replaces the sample of a text, which is for tests, by an empty text. */
const withoutText = (column: Column): Column => (column.sample === TEXT ? { ...column, sample: "''" } : column);

/** Returns a value of a TypeScript type as TypeScript. */
export function sampleOf(type: string): string {
  if (type.includes('[]')) return '[]';
  if (type.startsWith('number')) return '1';
  if (type.startsWith('bigint')) return '1n';
  if (type.startsWith('boolean')) return 'false';
  if (type.startsWith('Date')) return 'new Date()';
  return TEXT;
}
