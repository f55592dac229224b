import { afterEach, describe, expect, it } from '@jest/globals';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { HOSTS, moduleOf, type Setup } from './hosts.js';
import { HOST_ROWS } from './specification.js';
import { ISSUER, exerciseApplication } from './exercise-application.js';

describe.each(PLATFORMS)('an application of docs/reference/hosts.md, as clients observe it, on %s,', (platform) => {
  let stop: Setup['stop'];
  afterEach(async () => {
    await stopApplications();
    await stop?.();
  });

  const rows = HOST_ROWS.filter(({ only = platform }) => only === platform);

  it.each(rows)('$host', async ({ host: _host, driver, only: _only, ...expected }) => {
    const setup = await HOSTS[driver]!(platform);
    const { options, front, issuer = ISSUER, notes = '/notes', headers = {}, rewrite = (path) => path } = setup;
    stop = setup.stop;
    const { app, url } = await startApplication(platform, moduleOf(setup), options);
    expect(await exerciseApplication({ url: (await front?.(app)) ?? url, issuer, notes, headers, rewrite })).toEqual(
      expected,
    );
  });
});
