// A test of the host's own, as CommonJS Jest runs it.
const { expect, it } = require('@jest/globals');
require('reflect-metadata');
const { askApplication } = require('./grant.cjs');

it('guards a route of the host', async () => {
  const answer = await askApplication(
    require('nest-oauth2'),
    require('nest-oauth2/stores/memory'),
    require('@nestjs/common'),
    require('@nestjs/core'),
  );
  expect(answer).toMatchObject({ stranger: 401, bearer: { status: 200, body: 'demo' } });
});
