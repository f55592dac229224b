import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { getConnectionToken } from '@nestjs/mongoose';
import { NestFactory } from '@nestjs/core';
import type { Connection } from 'mongoose';
import { MongooseStore } from 'nest-oauth2/stores/mongoose';

import { hasMongo, mongoUrl } from '../support/environment/mongo-server.js';

const describeMongo = hasMongo() ? describe : describe.skip;
const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');

describe('docs/guides/mongoose.md', () => {
  it('shows only code that the compiler checks in test/types/mongoose-page', () => {
    const blocks = [...read('../../docs/guides/mongoose.md').matchAll(/```ts\n\/\/ src\/(\S+)\n(.*?)```/gs)];
    expect(blocks.map(([, file]) => file)).toEqual(['app.module.ts', 'deploy.ts']);
    for (const [, file, code] of blocks) expect(read(`../types/mongoose-page/${file}`)).toBe(code);
  });

  it('names the version of the server that the tests run against', () => {
    const pom = read('../support/environment/mongo-java-server/pom.xml');
    const [, version] =
      /<artifactId>mongo-java-server<\/artifactId>\s+<version>([\d.]+)<\/version>\s+<\/dependency>/.exec(pom)!;
    expect(read('../../docs/guides/mongoose.md')).toContain(`mongo-java-server ${version}`);
  });
});

describeMongo('the application in docs/guides/mongoose.md', () => {
  it('issues a token and creates its indexes', async () => {
    const before = process.env['MONGODB_URL'];
    const name = `oauth-page-${randomUUID()}`;
    process.env['MONGODB_URL'] = `${(await mongoUrl()).replace(/\/$/, '')}/${name}`;
    const { AppModule } = await import('../types/mongoose-page/app.module.js');
    if (before === undefined) delete process.env['MONGODB_URL'];
    else process.env['MONGODB_URL'] = before;
    const app = await NestFactory.create(AppModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    const connection = app.get<Connection>(getConnectionToken());
    const users = { findByCredentials: () => null, findById: () => null };
    await new MongooseStore(connection, { users }).saveClient({
      id: 'worker',
      secret: 'a secret that a person chose',
      grants: ['client_credentials'],
    });
    const authorization = `Basic ${Buffer.from('worker:a secret that a person chose').toString('base64')}`;
    const response = await fetch(`${await app.getUrl()}/oauth/token`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    expect(await response.json()).toMatchObject({ token_type: 'Bearer' });
    expect(await connection.db!.collection('oauth_tokens').indexExists('oauth_expiry')).toBe(true);
    await connection.dropDatabase();
    await app.close();
  }, 60_000);
});
