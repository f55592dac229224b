import { setImmediate as tick } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';
import type { Model, Token, Unsaved } from 'nest-oauth2/server';
import { checkModel } from 'nest-oauth2/testing';

import { type Collection, MongooseModel } from '../../docs/models/mongoose.js';
import { type PrismaClient, PrismaModel } from '../../docs/models/prisma.js';
import type { Directory, Row } from '../../docs/models/row-model.js';

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
        throw Object.assign(new Error('There is one with this key'), { code: 11000 });
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

function prismaModel(): Model {
  const [grants, rows] = [new Documents<Grant>('_id'), new Documents<Row>('key')];
  const prisma: PrismaClient = {
    $transaction: (work) => rows.transaction(() => work(prisma)),
    oAuthGrant: {
      createMany: ({ data }) =>
        grants.add(...data.map(({ id }) => ({ _id: id, revokedAt: null }))).catch(() => 'skipped: it is there'),
      updateMany: ({ where: { id, revokedAt }, data }) => grants.change({ _id: id, revokedAt }, data),
    },
    oAuthRow: {
      createMany: ({ data }) => rows.add(...data),
      async findFirst({ where: { key } }) {
        const row = await rows.find({ key });
        return row && (await grants.find({ _id: row.grantId, revokedAt: null })) ? row : null;
      },
      updateMany: async ({ where, data }) => ({ count: (await rows.change(where, data)) ? 1 : 0 }),
    },
  };
  return new PrismaModel(prisma, directory);
}

function collection<T extends object>(key: string): Collection<T> {
  const documents = new Documents<T>(key);
  return {
    findOne: (filter) => ({ lean: () => documents.find(filter) }),
    findOneAndUpdate: (filter, update) => documents.change(filter, update.$set),
    create: (document) => documents.add(document),
    insertMany: (added) => documents.add(...added),
    deleteMany: ({ key: { $in } }) => documents.remove($in),
  };
}

const MODELS: [string, () => Model][] = [
  ['Prisma', prismaModel],
  ['Mongoose', () => new MongooseModel(collection('_id'), collection('key'), directory)],
];

describe('the example models of the documentation', () => {
  it.each(MODELS)('pass the model contract with %s', async (_name, makeModel) => {
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

  it.each(MODELS)('keep all tokens that are saved concurrently on a new grant, with %s', async (_, makeModel) => {
    const model = makeModel();
    const names = Array.from({ length: 200 }, (__, index) => index);
    await Promise.all(names.map(async (name) => model.saveToken(tokenOf(name), client, { id: 'ada' })));
    const found = await Promise.all(names.map(async (name) => model.getAccessToken!(`access ${name}`)));
    expect(found.filter((token) => token && token.grantId === 'one')).toHaveLength(200);
  });

  it.each(MODELS)(
    'keep the full scope of a refresh token after a refresh with a narrower scope, with %s',
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
