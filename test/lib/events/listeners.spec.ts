import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

const emitter = (listener: string, options = '', method = 'on') =>
  `const events = new EventEmitter(${options}); events.${method}('client.refused', ${listener}); return events;`;
const rejecting = `async () => { throw new Error(broken) }`;

/**
 * Failing listeners: bodies of functions that get `broken`, the message of the error, and return the option `events`.
 */
const FAILING = {
  'an async listener of an EventEmitter that rejects': emitter(rejecting),
  'a listener added with once() that rejects': emitter(rejecting, '', 'once'),
  'a listener that rejects later': emitter(`() => new Promise((_, no) => setTimeout(no, 1, new Error(broken)))`),
  'a listener that rejects, of an emitter with `captureRejections`': emitter(rejecting, '{ captureRejections: true }'),
  'a listener that throws': emitter(`() => { throw new Error(broken) }`),
  'an async `emit()` that rejects': `return { async emit() { throw new Error(broken) } };`,
  'an `emit()` that throws': `return { emit() { throw new Error(broken) } };`,
  'a `wants()` that throws': `return { wants() { throw new Error(broken) }, emit() {} };`,
  'an async `wants()` that rejects': `return { async wants() { throw new Error(broken) }, emit() {} };`,
  'an emitter whose `emitAsync()` returns promises, such as EventEmitter2': `
    const listener = ${rejecting};
    return { emit() { listener(); }, emitAsync: () => Promise.all([listener()]) };`,
};
const SEVERAL = 'several listeners, of which the first throws';
const CASES = Object.entries({
  ...FAILING,
  [SEVERAL]: `
    const events = new EventEmitter();
    events.on('client.refused', () => { throw new Error(broken) });
    events.on('client.refused', function (payload) { console.log(broken, this === events, payload.error) });
    return events;`,
});

/** Returns the error message of a case. */
const messageOf = (name: string) => `broken ${CASES.findIndex(([one]) => one === name)}`;

/** Returns the source of an application with one server for each case, which refuses three requests of a client. */
const program = (engine: string) => `
  import { EventEmitter } from 'node:events';
  const { OAuth2Server, Request, Response } = await import(${JSON.stringify(engine)});
  const model = { getClient: () => null, saveToken: () => null };
  const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic YTpi' };
  for (const [broken, make] of [${CASES.map(([name, events]) => `['${messageOf(name)}', (broken) => { ${events} }]`).join()}]) {
    const server = new OAuth2Server({ model, events: make(broken) });
    for (let i = 0; i < 3; i++) {
      const request = new Request({ method: 'POST', headers, query: {}, body: { grant_type: 'password' } });
      const error = await server.token(request, new Response()).then(() => 'no error', (error) => error.name);
      await new Promise((resolve) => setTimeout(resolve, 5));
      console.log(broken, error);
    }
    console.log(broken, 'alive');
  }
`;

describe('a failing event listener', () => {
  let folder = '';
  let printed = { stdout: '', stderr: '' };

  // One process runs all cases. If a case ends the process, that case and those after it fail.
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'events-'));
    const file = join(folder, 'engine.mjs');
    const bundler = join(root, 'node_modules/rolldown/bin/cli.mjs');
    await run(process.execPath, [bundler, 'lib/index.ts', '--format', 'esm', '--platform', 'node', '--file', file], {
      cwd: root,
    });
    const source = program(pathToFileURL(file).href);
    printed = await run(process.execPath, ['--input-type=module', '-e', source]).catch(
      (error: Error & typeof printed) => error,
    );
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Returns the lines that the process printed for a case. */
  const linesOf = (name: string) => {
    const start = `${messageOf(name)} `;
    const lines = printed.stdout.split('\n').filter((line) => line.startsWith(start));
    return lines.map((line) => line.slice(start.length));
  };

  it.each(Object.keys(FAILING))('does not end the process and does not change the response: %s', (name) => {
    expect(linesOf(name)).toEqual(['invalid_client', 'invalid_client', 'invalid_client', 'alive']);
    expect(printed.stderr).toMatch(new RegExp(`A listener of \`client\\.refused\` failed: ${messageOf(name)}$`, 'm'));
  });

  it('does not prevent the other listeners from being called', () => {
    expect(linesOf(SEVERAL)).toContain('true invalid_client');
  });
});
