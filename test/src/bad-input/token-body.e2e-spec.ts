import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readResponse, basic, post, expectedRefusal } from '../../support/clients/http.js';
import { ADAPTERS, startDemo, stopDemos } from '../../support/servers/every-adapter.js';

const credentials = basic('web', 'web-secret');
const notForm = 'Invalid request: content must be application/x-www-form-urlencoded';
const megabyte = 'x'.repeat(2 ** 20);

describe.each(ADAPTERS)('invalid bodies and methods at the token endpoint on %s', (adapter) => {
  let url: string;
  beforeAll(async () => {
    ({ url } = await startDemo(adapter));
  });
  afterAll(stopDemos);

  const token = (form: Parameters<typeof post>[1], headers = {}) =>
    readResponse(post(`${url}/oauth/token`, form, headers));

  /** Sends bytes that a client library would not send. */
  const raw = (request: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
        socket.end(request.replaceAll('\n', '\r\n')),
      );
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk.toString())).on('error', reject);
      socket.on('close', () => resolve(answer));
    });

  it.each([
    ['JSON', 'application/json', '{"grant_type":"client_credentials"}'],
    ['broken JSON', 'application/json', '{'],
    ['JSON that sets a prototype', 'application/json', '{"__proto__":{"a":1}}'],
    ['plain text', 'text/plain', 'grant_type=client_credentials'],
    ['XML', 'application/xml', '<grant_type/>'],
    ['a multipart form', 'multipart/form-data; boundary=x', '--x--'],
    ['a malformed content type', ';;;', 'grant_type=client_credentials'],
  ])('rejects %s instead of a form', async (_name, type, body) => {
    expect(await token(body, { ...credentials, 'content-type': type })).toEqual(
      expectedRefusal('invalid_request', notForm),
    );
  });

  it('rejects a body of one megabyte', async () => {
    const response = await token({ grant_type: 'authorization_code', code: megabyte }, credentials);
    expect(response).toEqual(expectedRefusal('invalid_request', 'Invalid request: content is too large', 413));
  });

  it('rejects a very long code as an unknown one', async () => {
    const response = await token({ grant_type: 'authorization_code', code: 'x'.repeat(50_000) }, credentials);
    expect(response).toEqual(expectedRefusal('invalid_grant', 'Invalid grant: authorization code is invalid'));
  });

  it('rejects a body with 5000 parameters', async () => {
    const { status } = await token('a=1&'.repeat(5000), credentials);
    expect([400, 413]).toContain(status);
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('rejects %s and lists the allowed methods', async (method) => {
    const response = await readResponse(
      fetch(`${url}/oauth/token?grant_type=client_credentials`, { method, headers: credentials }),
    );
    const refusal = expectedRefusal('invalid_request', 'Invalid request: method must be POST', 405, { allow: 'POST' });
    expect(response).toEqual(method === 'HEAD' ? { ...refusal, body: '' } : refusal);
  });

  it('rejects an unknown content encoding', async () => {
    const { status, body } = await token('a=b', { ...credentials, 'content-encoding': 'nonsense' });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'invalid_request' });
  });

  it('rejects a form in an unknown charset', async () => {
    const type = 'application/x-www-form-urlencoded; charset=utf-7';
    const { status, body } = await token('grant_type=nonsense', { ...credentials, 'content-type': type });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toMatch(/invalid_request|unsupported_grant_type/);
  });

  it('still responds after a client closed its connection in the middle of a request', async () => {
    const head =
      'POST /oauth/token HTTP/1.1\nhost: x\ncontent-type: application/x-www-form-urlencoded\ncontent-length: 100\n\na=b';
    await raw(head);
    expect((await token({ grant_type: 'client_credentials' }, credentials)).status).toBe(200);
  });

  it('rejects a NUL character in a header', async () => {
    const response = await raw('POST /oauth/token HTTP/1.1\nhost: x\nauthorization: Basic \0\nconnection: close\n\n');
    expect(response).toMatch(/^HTTP\/1.1 400 /);
  });
});
