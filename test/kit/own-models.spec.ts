import { setImmediate as tick } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';
import type { Model, Token, Unsaved } from 'nest-oauth2/server';
import { checkModel } from 'nest-oauth2/testing';

import { type Directory, type Row, RowModel } from './row-model.js';

const client = {
  id: 'Web-App',
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: ['https://app.example/callback'],
};

const directory: Directory = {
  findClient: (id, secret) => (id === client.id && (secret === null || secret === 's3cret') ? client : null),
  findUser: (id) => ({ id }),
};

/** In-memory documents by their key. Each method waits, and then does its work at once like a single statement. */
class Documents<T extends object> {
  private all: T[] = [];
  /** The last transaction, which the next one waits for. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly key: string) {}

  async transaction<R>(work: () => Promise<R>): Promise<R> {
    const run = this.last.then(async () => {
      const before = this.all.map((document) => ({ ...document }));
      return work().catch((error: unknown) => {
        this.all = before;
        throw error;
      });
    });
    this.last = run.catch(() => undefined);
    return run;
  }

  async remove(keys: string[]): Promise<void> {
    await tick();
    this.all = this.all.filter((document) => !keys.includes(this.keyOf(document) as string));
  }

  async find(filter: Partial<T>): Promise<T | null> {
    await tick();
    const keys = Object.keys(filter) as (keyof T)[];
    return this.all.find((document) => keys.every((key) => (document[key] ?? null) === filter[key])) ?? null;
  }

  async change(filter: Partial<T>, change: Partial<T>): Promise<T | null> {
    const found = await this.find(filter);
    return found && Object.assign(found, change);
  }

  async add(...documents: T[]): Promise<void> {
    await tick();
    for (const document of documents) {
      if (this.all.some((each) => this.keyOf(each) === this.keyOf(document))) {
        throw new Error('There is one with this key');
      }
      this.all.push({ ...document });
    }
  }

  private keyOf(document: T): unknown {
    return (document as Record<string, unknown>)[this.key];
  }
}

interface Grant {
  _id: string;
  revokedAt: Date | null;
}

/** A model whose database has no transactions. Like documents of MongoDB, it reads a row first and then its grant. */
class SingleStatements extends RowModel {
  protected readonly grants = new Documents<Grant>('_id');
  protected readonly rows = new Documents<Row>('key');

  protected async insert(id: string, rows: Row[]): Promise<void> {
    await this.grants.add({ _id: id, revokedAt: null }).catch(() => 'The grant exists');
    await this.rows.add(...rows);
  }

  protected async find(key: string): Promise<Row | null> {
    const row = await this.rows.find({ key });
    return row && (await this.grants.find({ _id: row.grantId, revokedAt: null })) ? row : null;
  }

  protected async consume(key: string): Promise<boolean> {
    return (await this.rows.change({ key, revokedAt: null }, { revokedAt: new Date() })) !== null;
  }

  protected async consumeAndInsert(key: string, rotatedToken: string | null, rows: Row[]): Promise<boolean> {
    // A failure after this line is harmless: no client has received the new tokens.
    await this.rows.add(...rows);
    const used = await this.rows.change({ key, revokedAt: null }, { revokedAt: new Date(), rotatedToken });
    if (used === null) await this.rows.remove(rows.map((row) => row.key));
    return used !== null;
  }

  revokeGrant(id: string): Promise<unknown> {
    return this.grants.change({ _id: id, revokedAt: null }, { revokedAt: new Date() });
  }
}

/** A model whose database has transactions. */
class Transactions extends SingleStatements {
  protected override consumeAndInsert(key: string, rotatedToken: string | null, rows: Row[]): Promise<boolean> {
    return this.rows.transaction(async () => {
      const used = await this.rows.change({ key, revokedAt: null }, { revokedAt: new Date(), rotatedToken });
      if (used !== null) await this.rows.add(...rows);
      return used !== null;
    });
  }
}

const MODELS: [string, () => Model][] = [
  ['transactions', () => new Transactions(directory)],
  ['single statements', () => new SingleStatements(directory)],
];

describe('a model over tables of the application', () => {
  it.each(MODELS)('passes the model contract with %s', async (_name, makeModel) => {
    const report = await checkModel(makeModel, { client: { id: client.id, secret: 's3cret' }, user: { id: 'ada' } });
    expect(report.failures).toEqual([]);
    expect(report.guarantees).toMatchObject({
      'authorization codes': 'atomic',
      'refresh tokens': 'atomic',
      'token families': 'atomic',
    });
  });

  const tokenOf = (name: string | number): Unsaved<Token> => ({
    accessToken: `access ${name}`,
    accessTokenExpiresAt: new Date(Date.now() + 60_000),
    grantId: 'one',
    scope: 'read',
  });

  it.each(MODELS)('keeps all tokens that are saved concurrently on a new grant, with %s', async (_, makeModel) => {
    const model = makeModel();
    const names = Array.from({ length: 200 }, (__, index) => index);
    await Promise.all(names.map(async (name) => model.saveToken(tokenOf(name), client, { id: 'ada' })));
    const found = await Promise.all(names.map(async (name) => model.getAccessToken!(`access ${name}`)));
    expect(found.filter((token) => token && token.grantId === 'one')).toHaveLength(200);
  });

  it.each(MODELS)(
    'keeps the full scope of a refresh token after a refresh with a narrower scope, with %s',
    async (_, makeModel) => {
      const model = makeModel();
      const refreshToken = { refreshToken: 'refresh', refreshTokenExpiresAt: new Date(Date.now() + 60_000) };
      const token = { ...tokenOf('less'), ...refreshToken, refreshTokenScope: ['read', 'write'] };
      await model.saveToken(token, client, { id: 'ada' });
      expect(await model.getAccessToken!('access less')).toMatchObject({ scope: 'read' });
      expect(await model.getRefreshToken!('refresh')).toMatchObject({ scope: 'read write' });
    },
  );
});
