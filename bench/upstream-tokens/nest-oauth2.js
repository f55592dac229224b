import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OAuth2Module, OAuth2Upstreams } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import { oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { oauth, upstreams } from 'nest-oauth2/upstreams';
import { DataSource } from 'typeorm';
import { CONNECTIONS, url } from './database.js';

const ISSUER = 'https://id.example.com';

const accounts = { findById: (id) => ({ id }), create: ({ sub }) => ({ id: sub }) };

/** Starts an application whose processes share the tables with this name. */
export async function open({ provider, name, isFirst }) {
  const prefix = `${name}_`;
  const migrationsTableName = `${prefix}migrations`;
  const entities = oauthEntities({ prefix });
  const migrations = oauthMigrations({ prefix });
  const source = new DataSource({
    type: 'postgres',
    url,
    poolSize: CONNECTIONS,
    entities,
    migrations,
    migrationsTableName,
  });
  await source.initialize();
  if (isFirst) await source.runMigrations();
  const users = { findById: accounts.findById, findByCredentials: () => undefined };
  const acme = oauth({
    clientId: 'us',
    clientSecret: 'secret',
    issuer: provider,
    endpoints: { authorization: `${provider}/authorize`, token: `${provider}/token` },
    apis: [],
    profile: ({ accessToken }) => ({ sub: accessToken.replace('access ', ''), claims: {} }),
  });
  class Application {}
  Module({
    imports: [
      OAuth2Module.forRoot({
        model: new TypeOrmStore(source, { users, prefix }),
        issuer: ISSUER,
        secret: 'a secret of the benchmark, which is long enough',
        features: [pages(), upstreams({ accounts, vault: true, providers: { acme } })],
      }),
    ],
  })(Application);
  const app = await NestFactory.create(Application, { logger: ['error'] });
  await app.listen(0, '127.0.0.1');
  const vault = app.get(OAuth2Upstreams);
  const at = await app.getUrl();
  return {
    seed: (user) => signIn(at, user),
    token: async (user) => (await vault.token({ id: user }, 'acme')).accessToken,
    async close() {
      await app.close();
      if (isFirst) {
        while ((await source.query(`SELECT count(*)::int AS n FROM ${migrationsTableName}`))[0].n > 0)
          await source.undoLastMigration();
        await source.query(`DROP TABLE ${migrationsTableName}`);
      }
      await source.destroy();
    },
  };
}

/** Signs a user in with the provider, like a browser, so that the tokens are stored. */
async function signIn(at, user) {
  const cookies = new Map();
  const visit = async (path, fields) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const body = fields && new URLSearchParams(fields);
    const headers = { cookie, ...(fields && { origin: ISSUER }) };
    const response = await fetch(new URL(path, at), {
      method: fields ? 'POST' : 'GET',
      headers,
      body,
      redirect: 'manual',
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      cookies.set(name, value);
    }
    return response;
  };
  const action = '/oauth/upstreams/acme';
  const login = await (await visit('/oauth/login')).text();
  const form = login.match(/<form[^]*?<\/form>/g).find((one) => one.includes(`action="${action}"`));
  const fields = [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, ...pair]) => pair);
  const begun = await visit(action, Object.fromEntries(fields));
  const state = new URL(begun.headers.get('location')).searchParams.get('state');
  const done = await visit(`${action}/callback?${new URLSearchParams({ code: user, state })}`);
  if (done.status !== 303) throw new Error(`The sign-in responded with status ${done.status}`);
}
