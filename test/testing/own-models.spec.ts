import { setImmediate as tick } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';
import type { Model } from 'nest-oauth2/server';
import { checkModel } from 'nest-oauth2/testing';

import { type Collection, MongooseModel } from '../../docs/models/mongoose.js';
import { type PrismaClient, PrismaModel } from '../../docs/models/prisma.js';
import type { People, Row } from '../../docs/models/row-model.js';

const client = {
  id: 'Web-App',
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: ['https://app.example/callback'],
};

const people: People = {
  findClient: (id, secret) => (id === client.id && (secret === null || secret === 's3cret') ? client : null),
  findUser: (id) => ({ id }),
};

/** Documents in memory. Every call takes a moment, and is then done at once, as a single statement is. */
class Documents<T extends object> {
  private readonly all: T[] = [];

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
    for (const document of documents) this.all.push({ ...document });
  }
}

interface Grant {
  _id: string;
  revokedAt: Date | null;
}

function prismaModel(): Model {
  const [grants, rows] = [new Documents<Grant>(), new Documents<Row>()];
  const prisma: PrismaClient = {
    oAuthGrant: {
      upsert: async ({ where: { id } }) => (await grants.find({ _id: id })) ?? grants.add({ _id: id, revokedAt: null }),
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
  return new PrismaModel(prisma, people);
}

function collection<T extends object>(): Collection<T> {
  const documents = new Documents<T>();
  return {
    findOne: (filter) => ({ lean: () => documents.find(filter) }),
    async findOneAndUpdate(filter, update, options) {
      if ('$set' in update) return documents.change(filter, update.$set);
      if (options?.upsert && !(await documents.find(filter))) await documents.add(update.$setOnInsert as T);
      return null;
    },
    insertMany: (added) => documents.add(...added),
  };
}

describe('the models of the documentation', () => {
  it.each([
    ['Prisma', prismaModel],
    ['Mongoose', () => new MongooseModel(collection(), collection(), people)],
  ])('hold with %s', async (_name, makeModel) => {
    const report = await checkModel(makeModel, { client: { id: client.id, secret: 's3cret' }, user: { id: 'ada' } });
    expect(report.failures).toEqual([]);
    expect(report.guarantees).toMatchObject({
      'authorization codes': 'atomic',
      'refresh tokens': 'atomic',
      'token families': 'atomic',
    });
  });
});
