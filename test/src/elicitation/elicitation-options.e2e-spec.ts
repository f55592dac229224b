import { Test } from '@nestjs/testing';
import { describe, expect, it } from '@jest/globals';
import {
  getOAuth2ElicitationsToken,
  type OAuth2Elicitations,
  OAuth2Module,
  type OAuth2ModuleOptions,
} from 'nest-oauth2';
import { mcp } from 'nest-oauth2/mcp';
import { pages, urlElicitation } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { SECRET } from '../../support/servers/demo.js';
import { forRootError } from '../../support/servers/start-up-error.js';

const users = { findById: () => undefined, findByCredentials: () => undefined };
const options = (more: Partial<OAuth2ModuleOptions> = {}): OAuth2ModuleOptions => ({
  model: new MemoryStore({ users }),
  issuer: 'https://mcp.example',
  secret: SECRET,
  features: [pages(), mcp(), urlElicitation()],
  ...more,
});

const requestOf = (token?: object, query = {}) =>
  ({ method: 'POST', url: '/mcp', headers: {}, query, body: { method: 'tools/call' }, oauth2: { token } }) as never;

describe('the options of `urlElicitation()`', () => {
  it.each([
    [{ lifetime: 59 }, /`lifetime` of `urlElicitation\(\)` must be a whole number of seconds, from 60 to 86400/],
    [{ wait: 51 }, /`wait` of `urlElicitation\(\)` must be a number of seconds, from 0 to 50/],
    [{ waits: 1 }, /unknown option `waits` of `urlElicitation\(\)`/],
  ])('rejects %j', (given, message) => {
    expect(() => urlElicitation(given as object)).toThrow(message);
  });

  it('requires pages, a secret and an issuer', async () => {
    expect(await forRootError(options({ features: [mcp(), urlElicitation()] }))).toMatch(/`pages\(\)`/);
    const { secret: _secret, ...withoutSecret } = options();
    expect(await forRootError(withoutSecret as OAuth2ModuleOptions)).toMatch(/`secret`/);
  });
});

describe('`OAuth2Elicitations`', () => {
  async function elicitationsOf(more: Partial<OAuth2ModuleOptions> = {}, name?: string) {
    const imports = [OAuth2Module.forRoot(options({ ...more, ...(name !== undefined && { name }) }))];
    const compiled = await Test.createTestingModule({ imports }).compile();
    await compiled.createNestApplication({ logger: false }).init();
    return compiled.get<OAuth2Elicitations>(getOAuth2ElicitationsToken(name));
  }

  const aliceAt = (client: string) => ({ user: { id: '1' }, client: { id: client } });

  it('belongs to one server, also by its name', async () => {
    const [one, other] = [
      await elicitationsOf(),
      await elicitationsOf({ issuer: 'https://other.example', paths: { prefix: 'other' } }, 'other'),
    ];
    const urlOf = async (elicitations: OAuth2Elicitations) => {
      const result = await elicitations.run(requestOf(aliceAt('app')), (elicited) =>
        elicited.require({ message: 'Really?' }),
      );
      const [{ text }] = (result as { content: { text: string }[] }).content as [{ text: string }];
      return new URL(text.slice(text.indexOf('https:')));
    };
    const urls = [await urlOf(one), await urlOf(other)] as const;
    expect(urls.map(({ origin }) => origin)).toEqual(['https://mcp.example', 'https://other.example']);
    const openedAt = (elicitations: OAuth2Elicitations, { searchParams }: URL) =>
      elicitations.find(requestOf(undefined, Object.fromEntries(searchParams)));
    // No user is signed in. The server whose secret is the same, but whose issuer differs, does not even read the text.
    await expect(openedAt(one, urls[0])).rejects.toThrow(/for another user/);
    await expect(openedAt(one, urls[1])).rejects.toThrow(/expired/);
    await expect(openedAt(other, urls[0])).rejects.toThrow(/expired/);
  });

  it.each([
    { message: '' },
    { message: 'x'.repeat(501) },
    { message: 'Pay', url: 'https://evil.example/pay' },
    { message: 'Pay', url: '//evil.example/pay' },
    { message: 'Pay', data: 'x'.repeat(1000) },
  ])('rejects the page %j', async (page) => {
    const elicitations = await elicitationsOf();
    const run = elicitations.run(requestOf(aliceAt('app')), (elicited) => elicited.require(page));
    await expect(run).rejects.toThrow(/an elicitation needs a `message`/);
  });

  it('requires the access token of a user', async () => {
    const elicitations = await elicitationsOf();
    await expect(elicitations.run(requestOf(), () => 1)).rejects.toThrow(/requires the access token of a user/);
    await expect(elicitations.run(requestOf({ client: { id: 'app' }, user: {} }), () => 1)).rejects.toThrow(
      /@UserRequired/,
    );
  });

  it('rejects its use without the feature', async () => {
    const elicitations = await elicitationsOf({ features: [pages(), mcp()] });
    await expect(elicitations.run(requestOf(aliceAt('app')), () => 1)).rejects.toThrow(/requires `urlElicitation\(\)`/);
  });
});
