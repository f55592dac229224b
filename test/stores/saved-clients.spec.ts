import { describe, expect, it } from '@jest/globals';
import { MemoryStore, newClientSecret, type StoredClient } from 'nest-oauth2/stores/memory';
import { TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';

const users = { findByCredentials: () => undefined, findById: () => undefined };
const good: StoredClient = { id: 'web', grants: ['password'], scopes: ['read', 'write'] };
const lifetime = 'must be a number of seconds, more than 0 and at most 100 years';

const HASH = newClientSecret().secretHash;

const MISNAMED = [
  ['redirectUri', 'redirectUris'],
  ['redirect_uris', 'redirectUris'],
  ['callbackUrl', 'redirectUris'],
  ['grant_types', 'grants'],
  ['grantTypes', 'grants'],
  ['allowedScopes', 'scopes'],
] as const;

const WRONG: [string, object, string][] = [
  ['non-ASCII characters in the id', { id: 'Zoë' }, '`id` must be 1 to 255 printable ASCII characters'],
  ['an id with a line break', { id: 'web\n' }, '`id` must be'],
  ['an empty id', { id: '' }, '`id` must be'],
  ['an overlong id', { id: 'x'.repeat(256) }, '`id` must be'],
  ['an id that is a number', { id: 7 }, '`id` must be'],
  ['non-ASCII characters in the secret', { secret: 'pässword' }, '`secret` must be'],
  ['an empty secret', { secret: '' }, '`secret` must be'],
  ['a hash of another algorithm', { secretHashes: ['$2b$10$notscryptatall'] }, '`secretHashes` must be'],
  ['a truncated hash', { secretHashes: ['$scrypt$ln=14,r=8,p=1$c2FsdA$AAAA'] }, '`secretHashes` must be'],
  ['a list of secrets with an invalid one', { secret: ['good', 'pässword'] }, '`secret` must be'],
  ['six secrets', { secret: ['1', '2', '3', '4', '5', '6'] }, 'a client can have at most 5 secrets'],
  ['an invalid expiry of a secret', { secretHashes: [{ hash: HASH, expiresAt: Number.NaN }] }, 'the `expiresAt`'],
  [
    'an expiring secret with an invalid hash',
    { secretHashes: [{ hash: 'x', expiresAt: 1 }] },
    '`secretHashes` must be',
  ],
  ['no grants', { grants: undefined }, '`grants` must be a list'],
  ['grants as a string', { grants: 'password' }, '`grants` must be a list'],
  ['allowed origins as a string', { allowedOrigins: 'https://app.example' }, '`allowedOrigins` must be a list'],
  ...MISNAMED.map(([given, meant]): [string, object, string] => [
    `\`${given}\` instead of \`${meant}\``,
    { [given]: ['x'], remove: meant },
    `the client \`web\` is invalid: rename \`${given}\` to \`${meant}\``,
  ]),
  ['redirect URIs as a string', { redirectUris: 'https://app.example/cb' }, '`redirectUris` must be a list'],
  ['scopes as a string', { scopes: 'read write' }, '`scopes` must be a list'],
  ['a scope that contains a space', { scopes: ['read write'] }, '`scopes` must be a list'],
  ['a scope of 70 kB', { scopes: ['x'.repeat(70_000)] }, '`scopes` must be a list'],
  [
    'scopes of 70 kB',
    { scopes: Array.from({ length: 7000 }, (_, i) => `scope-${i}`) },
    '`scopes` must have at most 32896 characters in total',
  ],
  [
    'a default scope that is not among its scopes',
    { defaultScope: 'read admin' },
    '`defaultScope` must have only values of `scopes`',
  ],
  ['a default scope without scopes', { scopes: undefined, defaultScope: 'read' }, '`defaultScope` must have'],
  ...[0, -5, Number.NaN, Infinity, 'abc', '3600', 1e10].flatMap((value): [string, object, string][] => [
    [`an access token lifetime of ${value}`, { accessTokenLifetime: value }, `\`accessTokenLifetime\` ${lifetime}`],
    [`a refresh token lifetime of ${value}`, { refreshTokenLifetime: value }, `\`refreshTokenLifetime\` ${lifetime}`],
  ]),
];

const RIGHT: [string, object][] = [
  ['any printable ASCII in the id', { id: ' https://client.example/~a+b ' }],
  ['a lifetime of half a second', { accessTokenLifetime: 0.5, refreshTokenLifetime: null }],
  ['a generated secret', { secretHashes: [newClientSecret().secretHash] }],
  ['two secrets', { secret: ['old', 'new'] }],
  ['a secret that expires', { secretHashes: [{ hash: HASH, createdAt: 1, expiresAt: 2 }] }],
  ['a default scope', { defaultScope: ['read'] }],
  ['an empty default scope', { defaultScope: '' }],
  ['no scopes', { scopes: undefined }],
  ['further properties of the application', { name: 'Zoë' }],
];

describe('a saved client', () => {
  const dataSource = new DataSource({ type: 'postgres' });
  const database = new TypeOrmStore(dataSource, { users });

  it.each(WRONG)('is rejected with a clear message for %s', async (_, more, sentence) => {
    const { remove, ...changes } = more as { remove?: string };
    const client: StoredClient = { ...good, ...changes };
    if (remove !== undefined) delete (client as unknown as Record<string, unknown>)[remove];
    const message = expect.stringContaining(sentence);
    await expect(database.saveClient(client)).rejects.toMatchObject({ name: 'invalid_argument', message });
    expect(() => new MemoryStore({ clients: [client], users })).toThrow(sentence);
  });

  it('is rejected with its id in the message', async () => {
    const client = { ...good, redirectUris: 'https://app.example/cb' } as never;
    await expect(database.saveClient(client)).rejects.toThrow(
      'the client `web` is invalid: `redirectUris` must be a list',
    );
  });

  it.each([undefined, {}, { findByCredentials: () => undefined }])(
    'needs a store whose `users` can find users by id, not %j',
    (wrong) => {
      expect(() => new MemoryStore({ clients: [], users: wrong as never })).toThrow(
        '`users` must be an object with a method `findById(id)`',
      );
    },
  );

  it.each(RIGHT)('is accepted with %s', async (_, more) => {
    const client = { ...good, ...more };
    const store = new MemoryStore({ clients: [client], users });
    expect(await store.getClient(client.id, null)).toMatchObject({ id: client.id });
  });

  it('cannot get a secret with non-ASCII characters', async () => {
    const message = expect.stringContaining('`secret` must be a non-empty text of printable ASCII characters');
    await expect(database.rotateClientSecret('web', { secret: 'pässword' })).rejects.toMatchObject({ message });
  });
});
