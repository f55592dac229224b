// A test of the host's own, as CommonJS Jest runs it, which loads no ES module.
const { expect, it } = require('@jest/globals');
const { signAndCheck } = require('./jose.cjs');

it('signs a token and checks it', async () => {
  const entries = ['server', 'stores/memory', 'jose'].map((name) => require(`nest-oauth2/${name}`));
  expect(await signAndCheck(...entries)).toMatchObject({ client: 'demo' });
});
