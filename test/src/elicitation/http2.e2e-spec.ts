import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { stopApplications } from '../../support/servers/test-application.js';
import { type ElicitingApplication, running, startEliciting } from './elicitation-application.js';

const META = 'io.modelcontextprotocol';
const REVISION = '2026-07-28';

describe('`urlElicitation()` over HTTP/2', () => {
  let app: ElicitingApplication;
  let token: string;
  let session: ClientHttp2Session;

  beforeEach(async () => {
    app = await startEliciting('fastify', { wait: 50 }, {}, {}, { http2: true });
    token = await app.tokenOf('alice');
    session = connect(app.url);
  });
  afterEach(async () => {
    session.destroy();
    await stopApplications();
  });

  /** Sends a call of the tool `pay`, which waits for the user if the client has opened the URL. */
  function pay(inputResponses?: object): ClientHttp2Stream {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/mcp',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': 'pay',
    });
    const meta = {
      [`${META}/protocolVersion`]: REVISION,
      [`${META}/clientInfo`]: { name: 'test', version: '1.0.0' },
      [`${META}/clientCapabilities`]: { elicitation: { url: {} } },
    };
    const params = { name: 'pay', arguments: { amount: 4 }, _meta: meta, ...(inputResponses && { inputResponses }) };
    stream.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
    return stream;
  }

  /** Waits until a number of calls is running. Fails after 40 seconds, before the wait for the user would end. */
  async function until(count: number): Promise<void> {
    for (let attempt = 0; running.count !== count; attempt += 1) {
      if (attempt === 400) throw new Error(`${running.count} calls are running`);
      await setTimeout(100);
    }
  }

  const disconnections: [string, (stream: ClientHttp2Stream) => void][] = [
    ['resets the stream', (stream) => stream.close(constants.NGHTTP2_CANCEL)],
    ['closes the connection', () => session.destroy()],
  ];

  it.each(disconnections)(
    'stops waiting for the user when the client %s',
    async (_, disconnect) => {
      expect(await text(pay())).toContain('input_required');
      const waiting = pay({ page: { action: 'accept' } });
      waiting.on('error', () => undefined);
      await until(1);
      disconnect(waiting);
      await once(waiting, 'close');
      // The wait for the user would last 50 seconds.
      await until(0);
      expect(running.count).toBe(0);
    },
    30_000,
  );
});
