import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

/** A host whose listener fails at each refusal: `events` is made by this text. */
const program = (engine: string, events: string) => `
  import { EventEmitter } from 'node:events';
  const { OAuth2Server, Request, Response } = await import(${JSON.stringify(engine)});
  const events = (() => { ${events} })();
  const model = { getClient: () => null, saveToken: () => null };
  const server = new OAuth2Server({ model, events });
  const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic YTpi' };
  for (let i = 0; i < 3; i++) {
    const request = new Request({ method: 'POST', headers, query: {}, body: { grant_type: 'password' } });
    const error = await server.token(request, new Response()).then(() => 'no error', (error) => error.name);
    await new Promise((resolve) => setTimeout(resolve, 5));
    console.log(error);
  }
  console.log('alive');
`;

const ANSWERED = 'invalid_client\ninvalid_client\ninvalid_client\nalive\n';

// Issue 10, 1.7
describe('a listener of events that fails ends no process and changes no answer', () => {
  let folder = '';
  let engine = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'events-'));
    const file = join(folder, 'engine.mjs');
    const bundler = join(root, 'node_modules/rolldown/bin/cli.mjs');
    await run(process.execPath, [bundler, 'lib/index.ts', '--format', 'esm', '--platform', 'node', '--file', file], {
      cwd: root,
    });
    engine = pathToFileURL(file).href;
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const emitter = (listener: string, options = '', method = 'on') =>
    `const events = new EventEmitter(${options}); events.${method}('client.refused', ${listener}); return events;`;
  const rejecting = `async () => { throw new Error('broken') }`;

  it.each([
    ['an async listener of an EventEmitter that rejects', emitter(rejecting)],
    ['one that listens once', emitter(rejecting, '', 'once')],
    ['one that rejects later', emitter(`() => new Promise((_, no) => setTimeout(no, 1, new Error('broken')))`)],
    ['one of an emitter that captures rejections', emitter(rejecting, '{ captureRejections: true }')],
    ['a listener that throws', emitter(`() => { throw new Error('broken') }`)],
    ['an async `emit` that rejects', `return { async emit() { throw new Error('broken') } };`],
    ['an `emit` that throws', `return { emit() { throw new Error('broken') } };`],
    ['a `wants` that throws', `return { wants() { throw new Error('broken') }, emit() {} };`],
    ['an async `wants` that rejects', `return { async wants() { throw new Error('broken') }, emit() {} };`],
    [
      'an emitter that hands out promises by `emitAsync`, as EventEmitter2 does',
      `const listener = ${rejecting};
       return { emit() { listener(); }, emitAsync: () => Promise.all([listener()]) };`,
    ],
  ])('%s', async (_name, events) => {
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program(engine, events)]);
    expect(stdout).toBe(ANSWERED);
    expect(stderr).toContain('A listener of `client.refused` failed: broken');
  });

  it('calls every listener, though one of them fails', async () => {
    const events = `
      const events = new EventEmitter();
      events.on('client.refused', () => { throw new Error('broken') });
      events.on('client.refused', function (payload) { console.log(this === events, payload.error) });
      return events;`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program(engine, events)]);
    expect(stdout).toContain('true invalid_client\n');
  });
});
