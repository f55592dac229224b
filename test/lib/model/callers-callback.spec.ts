import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { type Client, type Model, OAuth2Server, Request, Response } from 'nest-oauth2/server';

type Done = (error: unknown, result?: unknown) => void;
type Saving = (token: object, client: object, user: object) => Promise<unknown>;

const client = { id: 'web', grants: ['urn:example:grant'] };
const ada = { id: 'ada' };
/** A model in the callback style of oauth2-server 3.x: each method passes its result to a callback. */
const model = {
  getClient: (_id: string, _secret: string, done: Done) => done(null, client),
  getUser: (_name: string, _password: string, done: Done) => done(null, ada),
  saveToken: (token: object, of: object, user: object, done: Done) => done(null, { ...token, client: of, user }),
  *names() {
    yield 'ada';
  },
};
type CallbackModel = typeof model;

/** Runs an extension grant written for oauth2-server 3.x, which saves its token with `save`, and returns the token. */
async function tokenOf(save: (model: CallbackModel, token: object, client: Client) => Promise<unknown>) {
  class ExampleGrant {
    constructor(private readonly options: { model: CallbackModel }) {}
    handle(_request: Request, of: Client) {
      return save(this.options.model, { accessToken: 'saved' }, of) as Promise<object>;
    }
  }
  const extendedGrantTypes = { 'urn:example:grant': ExampleGrant };
  const server = new OAuth2Server({ model: model as unknown as Model, extendedGrantTypes });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = { grant_type: 'urn:example:grant', client_id: 'web', client_secret: 's3cret' };
  return server.token(new Request({ method: 'POST', headers, query: {}, body }), new Response());
}

describe('an extension grant with a model whose methods take callbacks', () => {
  it('can pass its own callback to a model method', async () => {
    const saved = await tokenOf(
      (given, token, of) =>
        new Promise((resolve, reject) =>
          given.saveToken(token, of, ada, (error, result) => (error ? reject(error) : resolve(result))),
        ),
    );
    expect(saved).toEqual({ accessToken: 'saved', client, user: ada });
  });

  it('can pass its own callback to `getUser()` in place of the client argument', async () => {
    const user = await new Promise((resolve) => {
      void tokenOf((given, token, of) => {
        given.getUser('ada', 'any', (_, found) => resolve(found));
        return (given.saveToken as unknown as Saving)(token, of, ada);
      });
    });
    expect(user).toBe(ada);
  });

  it('can promisify a model method', async () => {
    const saved = await tokenOf((given, token, of) => promisify(given.saveToken).call(given, token, of, ada));
    expect(saved.user).toBe(ada);
  });

  it('can omit the callback and await the returned promise', async () => {
    const saved = await tokenOf((given, token, of) => (given.saveToken as unknown as Saving)(token, of, ada));
    expect(saved.user).toBe(ada);
  });

  it('receives generator methods that are not part of the model interface unchanged', async () => {
    const saved = await tokenOf((given, token, of) =>
      (given.saveToken as unknown as Saving)({ ...token, names: [...given.names()] }, of, ada),
    );
    expect(saved['names']).toEqual(['ada']);
  });
});
