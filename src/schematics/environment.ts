import { randomBytes } from 'node:crypto';
import type { Choices } from './choices.js';
import type { Settings } from './existing/settings.js';
import { isSql } from './stores.js';

/** A variable of `.env`. */
export interface EnvironmentKey {
  name: string;
  /** The comment above the variable in `.env.example`. */
  comment: string;
  /** The value in both files. If omitted, the value is a generated secret, which only `.env` contains. */
  value?: string;
}

const SECRET: EnvironmentKey = {
  name: 'OAUTH2_SECRET',
  comment: 'Signs forms and cookies: 32 or more random characters, the same in every process. Never commit it.',
};

const issuerKey = (port: number): EnvironmentKey => ({
  name: 'OAUTH2_ISSUER',
  comment:
    'The public URL. Unless it is on this computer or NODE_ENV is set, this is production and needs an https URL.',
  value: `http://localhost:${port}`,
});

const SEED_USER: readonly EnvironmentKey[] = [
  { name: 'SEED_USERNAME', comment: 'The first user, for development.', value: 'admin' },
  { name: 'SEED_PASSWORD', comment: 'The password of the first user: 12 or more characters.' },
];

const SEED_CLIENT: EnvironmentKey = {
  name: 'SEED_REDIRECT_URI',
  comment: 'The redirect URI of the first client.',
  value: 'http://127.0.0.1:3001/callback',
};

const API: readonly EnvironmentKey[] = [
  {
    name: 'OAUTH2_ISSUER',
    comment: 'The issuer whose tokens the API accepts: an https URL, exactly as in the claim `iss`.',
    value: 'https://id.example.com',
  },
  {
    name: 'OAUTH2_AUDIENCE',
    comment: 'The identifier of this API in the claim `aud`. Tokens for other APIs are rejected.',
    value: 'https://api.example.com',
  },
];

/** The addresses of databases on this computer. They contain no password. */
const URLS = {
  postgres: 'postgres://postgres@127.0.0.1:5432/postgres',
  mariadb: 'mysql://root@127.0.0.1:3306/test',
  mysql: 'mysql://root@127.0.0.1:3306/test',
};

function databaseKeys({ store, database }: Choices): EnvironmentKey[] {
  if (store === 'redis') {
    return [{ name: 'REDIS_URL', comment: 'The address of Redis.', value: 'redis://127.0.0.1:6379' }];
  }
  if (store === 'mongoose') {
    return [{ name: 'MONGODB_URL', comment: 'The address of MongoDB.', value: 'mongodb://127.0.0.1:27017/oauth' }];
  }
  if (!isSql(store)) return [];
  if (database === 'sqlite') {
    return [
      {
        name: 'OAUTH2_DATABASE_FILE',
        comment: 'The file of the database. Add another name to .gitignore.',
        value: 'oauth.sqlite',
      },
    ];
  }
  return [{ name: 'DATABASE_URL', comment: 'The address of the database.', value: URLS[database] }];
}

/** Returns the variables of an application. */
export function environmentKeys(choices: Choices, { port }: Settings): EnvironmentKey[] {
  if (choices.store === 'none') return [...API];
  const own = [SECRET, issuerKey(port)];
  if (choices.existing) return own;
  // With `accounts()`, the first user signs up.
  const user = choices.features.has('accounts') ? [] : SEED_USER;
  return [...own, ...databaseKeys(choices), ...user, SEED_CLIENT];
}

const isSet = (text: string, name: string) => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`, 'm').test(text);

/** Appends the variables that a file does not have yet. Existing lines stay. */
export function appendKeys(text: string, keys: readonly EnvironmentKey[], withSecrets: boolean): string {
  const missing = keys.filter(({ name }) => !isSet(text, name));
  if (missing.length === 0) return text;
  const lines = missing.map(({ name, comment, value }) => {
    const secret = withSecrets ? randomBytes(32).toString('base64url') : '';
    return `# ${comment}\n${name}=${value ?? secret}\n`;
  });
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return start + lines.join('');
}
