import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { demoModule } from '../support/servers/demo.js';
import { PLATFORMS, startApplication, stopApplications } from '../support/servers/test-application.js';

/** Sends the head of a form and then ten characters per second until the server closes the connection. */
function trickle(url: string, method: string, path: string): Promise<{ answer: string; seconds: number }> {
  const started = Date.now();
  return new Promise((resolve) => {
    let answer = '';
    let letters: NodeJS.Timeout | undefined;
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n`);
      socket.write('Origin: https://app.example\r\nContent-Length: 1000\r\n\r\ngrant_type=');
      // Starts late: on a busy machine the first character could precede the head.
      letters = setInterval(() => socket.write('a'), 100);
    });
    const end = () => {
      clearInterval(letters);
      socket.destroy();
      resolve({ answer, seconds: (Date.now() - started) / 1000 });
    };
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', () => undefined).on('close', end);
  });
}

const LINES = ['POST /oauth/token', 'POST /oauth/authorize?client_id=web'];
const ON_EXPRESS = ['POST /oauth/TOKEN/'];
/** Paths as the router of Fastify matches them, and methods whose bodies it reads before it rejects them. */
const ON_FASTIFY = ['POST /oauth/%74oken', 'POST /oauth/token#there', 'PUT /oauth/token', 'PATCH /oauth/authorize'];

describe('a form that a client sends too slowly', () => {
  const cases: { platform: string; line: string; outcome: Promise<{ answer: string; seconds: number }> }[] = [];

  const { setTimeout: realTimeout } = globalThis;
  /** The deadlines of forms in milliseconds. Each ends after one second instead. */
  const deadlines: (number | undefined)[] = [];
  const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation((work: () => void, delay?: number) => {
    if (!String(work).includes('was not received in time')) return realTimeout(work, delay);
    deadlines.push(delay);
    return realTimeout(work, 1000);
  });

  // Runs all requests concurrently, because each takes as long as the deadline.
  beforeAll(async () => {
    for (const platform of PLATFORMS) {
      for (const bodyParser of [true, false]) {
        const module = demoModule({ cors: { origins: '*' } });
        const { url } = await startApplication(platform, module, { bodyParser });
        for (const line of [...LINES, ...(platform === 'fastify' ? ON_FASTIFY : ON_EXPRESS)]) {
          const [method, path] = line.split(' ') as [string, string];
          const outcome = trickle(url, method, path);
          cases.push({ platform: `${platform}, body parser ${bodyParser}`, line, outcome });
        }
      }
    }
  });
  afterAll(async () => {
    timers.mockRestore();
    await stopApplications();
  });

  it('is rejected with 408 after ten seconds, and its connection is closed', async () => {
    for (const { platform, line, outcome } of cases) {
      const { answer, seconds } = await outcome;
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect([platform, line, head.split('\r\n')[0]]).toEqual([platform, line, 'HTTP/1.1 408 Request Timeout']);
      expect(head).toMatch(/^connection: close$/im);
      expect(JSON.parse(body.replace(/^[\da-f]+\r\n|\r\n0?$/g, ''))).toEqual({
        error: 'invalid_request',
        error_description: 'Invalid request: content was not received in time',
      });
      expect(/^access-control-allow-origin: /im.test(head)).toBe(!line.includes('authorize'));
      expect(seconds).toBeGreaterThan(0.9);
    }
    expect(deadlines).toEqual(cases.map(() => 10_000));
  });
});
