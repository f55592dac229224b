import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { FetchSlots } from '../../../lib/http/safe-fetch/fetch-slots.js';
import { FetchError, SafeFetch, type SafeFetchOptions } from '../../../lib/http/safe-fetch/index.js';
import { CERTIFICATE, json, type Reply, TlsServer } from '../../support/servers/tls-server.js';
import { waitUntil } from '../../support/environment/wait-until.js';

const server = new TlsServer();
beforeAll(() => server.start());
afterAll(() => server.stop());
afterEach(() => server.reset());

const here = async () => ['127.0.0.1'];

/** Creates a SafeFetch that resolves each name to this machine and may connect to it. */
const fetching = (options: SafeFetchOptions = {}) =>
  new SafeFetch({ lookup: here, allow: ['127.0.0.1'], ca: CERTIFICATE, ...options });

async function faultOf(work: Promise<unknown>): Promise<unknown> {
  const failure = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(FetchError);
  return (failure as FetchError).kind;
}

describe('SafeFetch', () => {
  it('fetches JSON without headers that identify the server or the user', async () => {
    server.replies['/a.json?b=c'] = json({ a: 1 }, { 'cache-control': 'max-age=60', 'set-cookie': 'a=b' });
    const { body, headers } = await fetching().json(server.url('/a.json?b=c'));
    expect({ body, cached: headers['cache-control'] }).toEqual({ body: { a: 1 }, cached: 'max-age=60' });
    const [{ method, headers: sent, socket }] = server.requests as [TlsServer['requests'][0]];
    expect({ method, sent, name: (socket as unknown as { servername: string }).servername }).toEqual({
      method: 'GET',
      name: 'client.example',
      sent: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'nest-oauth2',
        host: `client.example:${server.port}`,
        connection: expect.any(String),
      },
    });
  });

  it('posts content with a bearer token, and accepts an empty or a JSON response', async () => {
    const reported: string[] = [];
    const hear =
      (reply: Reply): Reply =>
      async (response, request) => {
        reported.push(Buffer.concat(await request.toArray()).toString());
        reply(response, request);
      };
    server.replies['/a'] = hear((response) => response.writeHead(204).end());
    server.replies['/b'] = hear(json({ any: 'thing' }));
    for (const path of ['/a', '/b']) {
      const posted = { type: 'application/json', body: '{"a":"é"}', bearerToken: 'their-token' };
      await fetching().post(server.url(path), posted);
      const { method, headers } = server.requests.at(-1)!;
      expect({ method, body: reported.pop() }).toEqual({ method: 'POST', body: '{"a":"é"}' });
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': '10',
        authorization: 'Bearer their-token',
      });
    }
  });

  it.each([
    [302, 'response'],
    [400, 'response'],
    [503, 'network'],
  ])('fails a POST that is answered with %i, and follows no redirect', async (status, fault) => {
    server.replies['/'] = (response) => response.writeHead(status, { location: server.url('/elsewhere') }).end();
    expect(await faultOf(fetching().post(server.url('/'), { type: 'text/plain', body: 'a' }))).toBe(fault);
    expect(server.requests.map(({ url }) => url)).toEqual(['/']);
    expect(await faultOf(new SafeFetch().post('https://127.0.0.1/', { type: 'text/plain', body: 'a' }))).toBe('url');
  });

  it('accepts media types with the suffix +json', async () => {
    server.replies['/'] = json({ a: 1 }, { 'content-type': 'application/oauth-client+json; charset=utf-8' });
    expect(await fetching().json(server.url('/'))).toMatchObject({ body: { a: 1 } });
  });

  it('rejects a certificate for another name or from an unknown issuer', async () => {
    server.replies['/'] = json({});
    expect(await faultOf(fetching().json(server.url('/', 'evil.example')))).toBe('network');
    expect(await faultOf(fetching({ ca: undefined }).json(server.url('/')))).toBe('network');
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['a redirect', json({}, { location: 'https://other.example/' }, 302)],
    ['a 304 response', json('', {}, 304)],
    ['a partial response', json({}, {}, 206)],
    ['a 201 response', json({}, {}, 201)],
    ['an error response', json({}, {}, 410)],
    ['HTML', json('{}', { 'content-type': 'text/html' })],
    ['a response without content type', json('{}', { 'content-type': '' })],
    ['a content type with JSON only in its parameters', json('{}', { 'content-type': 'text/plain; application/json' })],
    ['compressed content', json({}, { 'content-encoding': 'gzip' })],
    ['a response whose Content-Length exceeds the maximum size', json({}, { 'content-length': '5368709120' })],
  ])('rejects %s', async (_, reply) => {
    server.replies['/'] = reply;
    expect(await faultOf(fetching().json(server.url('/')))).toBe('response');
    expect(server.requests).toHaveLength(1);
  });

  it.each([500, 503, 429])('reports a temporary network failure for the status %i', async (status) => {
    server.replies['/'] = json({}, {}, status);
    expect(await faultOf(fetching().json(server.url('/')))).toBe('network');
  });

  it.each([
    ['[]'],
    ['null'],
    ['"a"'],
    ['{'],
    ['{} {}'],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]).toString('latin1')],
  ])('rejects content that is not a JSON object: %s', async (text) => {
    server.replies['/'] = (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from(text, 'latin1'));
    expect(await faultOf(fetching().json(server.url('/')))).toBe('content');
  });

  it('accepts a response of the maximum size and rejects one that is a byte larger', async () => {
    const text = (length: number) => JSON.stringify({ a: 'x'.repeat(length - 8) });
    server.replies = { '/least': json(text(5120)), '/more': json(text(5121)) };
    expect(await fetching().json(server.url('/least'))).toMatchObject({ body: { a: expect.any(String) } });
    expect(await faultOf(fetching().json(server.url('/more')))).toBe('response');
  });

  it('closes the connection as soon as an endless response exceeds the maximum size', async () => {
    let sent = 0;
    const closed = new Promise((resolve) => {
      server.replies['/'] = (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const pump = () => {
          while (!response.destroyed && response.write('x'.repeat(16_384))) sent += 16_384;
        };
        response.on('drain', pump).on('close', resolve);
        pump();
      };
    });
    expect(await faultOf(fetching().json(server.url('/')))).toBe('response');
    await closed;
    // The buffers of the connection may hold some megabytes of the endless response.
    expect(sent).toBeLessThan(20_000_000);
  });

  it('rejects compressed content without expanding it', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    expect(bomb.length).toBeLessThan(5120);
    server.replies['/'] = (response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'GZIP' }).end(bomb);
    expect(await faultOf(fetching().json(server.url('/')))).toBe('response');
  });

  it.each([
    ['no response', () => undefined],
    ['an endless response, one byte at a time', drip],
    ['endless interim responses', remind],
  ])('stops waiting after the timeout: %s', async (_, reply) => {
    server.replies['/'] = reply;
    expect(await faultOf(fetching({ timeout: 0.2 }).json(server.url('/')))).toBe('network');
  });

  it('stops waiting after the timeout if the name lookup never ends', async () => {
    const never = fetching({ timeout: 0.1, concurrencyPerHost: 1, lookup: () => new Promise(() => undefined) });
    expect(await faultOf(never.json(server.url('/')))).toBe('network');
    expect(await faultOf(never.json(server.url('/')))).toBe('network');
  });

  it('stops waiting after the timeout for a host that accepts connections but does not speak TLS', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve);
    });
    const { port } = silent.address() as AddressInfo;
    expect(await faultOf(fetching({ timeout: 0.2 }).json(`https://client.example:${port}/`))).toBe('network');
    silent.close();
  });
});

function drip(response: { writeHead(...given: unknown[]): unknown; write(text: string): unknown; destroyed: boolean }) {
  response.writeHead(200, { 'content-type': 'application/json' });
  void (async () => {
    while (!response.destroyed) {
      response.write(' ');
      await setTimeout(5);
    }
  })();
}

function remind(response: { writeEarlyHints(hints: object): unknown; destroyed: boolean }) {
  void (async () => {
    while (!response.destroyed) {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      await setTimeout(5);
    }
  })();
}

describe('addresses that SafeFetch connects to', () => {
  const SPECIAL = [
    '0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255',
    '192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1',
    '255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 ::7f00:1 64:ff9b::7f00:1',
    '64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:10::1 2001:20::1 2001:db8::1',
    '2002:7f00:1:: 2002:808:808:: 3fff::1 5f00::1 fc00::1 fd12:3456:789a::1 fe80::1 fec0::1 ff02::1 ff0e::1 no-address',
  ].flatMap((line) => line.split(' '));

  it.each(SPECIAL)('must be public: %s is rejected, even if the name also has a public address', async (address) => {
    for (const found of [[address], ['93.184.215.14', address], [address, '2606:4700::1']]) {
      const safe = new SafeFetch({ lookup: async () => found });
      expect(await faultOf(safe.json('https://client.example/'))).toBe('address');
    }
  });

  it('are those that were validated, even if the name resolves differently later (DNS rebinding)', async () => {
    server.replies['/'] = json({ a: 1 });
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['169.254.169.254']];
    let requested = 0;
    const safe = fetching({ lookup: async () => answers[requested++]! });
    expect(await safe.json(server.url('/'))).toMatchObject({ body: { a: 1 } });
    expect(requested).toBe(1);
    expect(await faultOf(safe.json(server.url('/')))).toBe('address');
    expect(requested).toBe(2);
  });

  it('include the next validated address if the first one does not respond', async () => {
    server.replies['/'] = json({ a: 1 });
    const safe = fetching({ allow: ['127.0.0.0/8'], lookup: async () => ['127.0.0.9', '127.0.0.1'] });
    expect(await safe.json(server.url('/'))).toMatchObject({ body: { a: 1 } });
  });

  it('must exist: a name without address and a failing lookup are errors', async () => {
    expect(await faultOf(new SafeFetch({ lookup: async () => [] }).json('https://client.example/'))).toBe('address');
    const lookup = async () => Promise.reject(new Error('no name server'));
    expect(await faultOf(new SafeFetch({ lookup }).json('https://client.example/'))).toBe('network');
  });
});

describe('URLs that SafeFetch accepts', () => {
  const REFUSED = [
    'http://client.example/',
    'ftp://client.example/',
    'file:///etc/passwd',
    'data:application/json,{}',
    'https://user@client.example/',
    'https://user:password@client.example/',
    'https://:password@client.example/',
    'https://client.example./',
    'https://localhost/',
    'https://a.localhost/',
    'https://LOCALHOST/',
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://2130706433/',
    'https://127.1/',
    'https://0/',
    'https://①②⑦.0.0.1/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[fe80::1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://client.example:22/',
    'https://client.example:25/',
    'https://client.example:0/',
    'https://client.example:80/',
    'https://client.example:99999/',
    'https://',
    '//client.example/',
    'client.example',
    '',
  ];

  it.each(REFUSED)('exclude %j, without a name lookup', async (url) => {
    let requested = 0;
    const safe = new SafeFetch({ lookup: async () => [String(requested++)] });
    expect(safe.isFetchable(url)).toBe(false);
    expect(await faultOf(safe.json(url))).toBe('url');
    expect(requested).toBe(0);
  });

  it('include http and https URLs of this machine only if `allowLoopback` is set', async () => {
    const near = new SafeFetch({ allowLoopback: true, ca: CERTIFICATE });
    server.replies['/'] = json({ a: 1 });
    expect(await near.json(`https://127.0.0.1:${server.port}/`)).toMatchObject({ body: { a: 1 } });
    for (const url of [
      'http://localhost:3000/',
      'http://127.0.0.1:3000/',
      'http://[::1]:3000/',
      'https://localhost/',
    ]) {
      expect(near.isFetchable(url)).toBe(true);
    }
    for (const url of [
      'http://client.example/',
      'http://10.0.0.1/',
      'https://10.0.0.1/',
      'http://evil.localhost.example/',
    ]) {
      expect(near.isFetchable(url)).toBe(false);
    }
    const bent = new SafeFetch({ allowLoopback: true, lookup: async () => ['10.0.0.1'] });
    expect(await faultOf(bent.json('http://a.localhost/'))).toBe('address');
  });

  it('include https URLs of addresses in the option `allow`', () => {
    const safe = new SafeFetch({ allow: ['10.1.0.0/16', 'fd00::/8'] });
    expect(['https://10.1.2.3/', 'https://[fd12::1]/'].every((url) => safe.isFetchable(url))).toBe(true);
    expect(['https://10.2.0.1/', 'http://10.1.2.3/', 'https://[fc00::1]/'].some((url) => safe.isFetchable(url))).toBe(
      false,
    );
  });
});

describe('concurrency limits of SafeFetch', () => {
  it('apply to one host, to one address with many names, and to all fetches together', async () => {
    const release: (() => void)[] = [];
    server.replies['/'] = (response) => release.push(() => json({})(response, undefined as never));
    const begin = async (safe: SafeFetch, names: string[]) => {
      const begun = names.map((name) => safe.json(server.url('/', name)));
      const faults = Promise.allSettled(begun);
      while (release.length < 2) await setTimeout(1);
      await setTimeout(20);
      release.splice(0).forEach((go) => go());
      return (await faults).map((one) => (one.status === 'rejected' ? (one.reason as FetchError).kind : 'fetched'));
    };
    const four = Array.from({ length: 4 }, () => 'client.example');
    expect(await begin(fetching({ concurrencyPerHost: 2 }), four)).toEqual(['fetched', 'fetched', 'busy', 'busy']);
    const names = ['client.example', 'a.client.example', 'b.client.example', 'other.example'];
    expect(await begin(fetching({ concurrencyPerHost: 2 }), names)).toEqual(['fetched', 'fetched', 'busy', 'busy']);
    const all = fetching({ concurrency: 2, concurrencyPerHost: 9 });
    expect(await begin(all, names)).toEqual(['fetched', 'fetched', 'busy', 'busy']);
    server.replies['/'] = json({ a: 1 });
    expect(await all.json(server.url('/'))).toMatchObject({ body: { a: 1 } });
  });

  describe('with name servers that never respond', () => {
    /** Ends the look-ups that wait. */
    const endings: (() => void)[] = [];
    const release = () => endings.splice(0).forEach((end) => end());
    afterEach(release);

    /** Resolves names that contain `evil` only after `release()`, and resolves all other names immediately. */
    const lookup = (name: string) =>
      name.includes('evil')
        ? new Promise<string[]>((resolve) => endings.push(() => resolve([])))
        : Promise.resolve(['127.0.0.1']);
    /** The timeout is longer than any test takes, so only `release()` ends a look-up. */
    const patient = (options: SafeFetchOptions = {}) => fetching({ lookup, timeout: 300, ...options });
    const numbers = Array.from({ length: 80 }, (_, number) => number);

    /**
     * Starts fetches of hosts whose name servers do not respond. Counts how many are refused immediately. `end()` lets
     * the others fail.
     */
    async function occupy(safe: SafeFetch, names: readonly string[], requester?: string) {
      let refused = 0;
      const all = names.map((name) =>
        safe.json(`https://${name}/`, requester).catch((error: FetchError) => {
          if (error.kind === 'busy') refused += 1;
        }),
      );
      await setTimeout(1);
      const end = async () => {
        release();
        await Promise.all(all);
      };
      return { refused, end };
    }

    it.each([
      ['names of one domain', 'evil.example', 64],
      ['names of one domain with three labels', 'evil.co.example', 72],
    ])('limits fetches from 80 %s, and still fetches from other hosts', async (_, domain, expected) => {
      server.replies['/'] = json({ a: 1 });
      const safe = patient();
      const names = numbers.map((number) => `a${number}.${domain}`);
      const { refused, end } = await occupy(safe, names);
      expect(refused).toBe(expected);
      expect(await safe.json(server.url('/'))).toMatchObject({ body: { a: 1 } });
      await end();
    });

    it('counts subdomains of any depth for their domain', async () => {
      const safe = patient();
      const { refused, end } = await occupy(
        safe,
        numbers.map((number) => `a.b${number}.c${number}.evil.example`),
      );
      expect(refused).toBe(64);
      await end();
    });

    it('does not group hosts by top-level domain, or IP addresses by their last numbers', async () => {
      const many = numbers.slice(0, 40);
      const silent = patient();
      const { refused, end } = await occupy(
        silent,
        many.map((number) => `evil${number}.example`),
      );
      expect(refused).toBe(0);
      await end();
      const safe = fetching({ allow: ['127.0.0.0/8'], concurrencyPerHost: 1 });
      const urls = [1, 2, 3, 4].map((number) => server.url('/', `127.0.${number}.1`));
      const faults = await Promise.all(urls.map((url) => faultOf(safe.json(url))));
      expect(faults).toEqual(['network', 'network', 'network', 'network']);
    });

    it('limits fetches from 80 domains requested by one network, and still fetches for other networks', async () => {
      server.replies['/'] = json({ a: 1 });
      const safe = patient();
      const names = numbers.map((number) => `evil${number}.example`);
      const { refused, end } = await occupy(safe, names, '192.0.2.1');
      expect(refused).toBe(64);
      expect(await faultOf(safe.json(server.url('/'), '192.0.2.1'))).toBe('busy');
      expect(await safe.json(server.url('/'), '192.0.2.2')).toMatchObject({ body: { a: 1 } });
      expect(await safe.json(server.url('/'))).toMatchObject({ body: { a: 1 } });
      await end();
      expect(await safe.json(server.url('/'), '192.0.2.1')).toMatchObject({ body: { a: 1 } });
    });

    it('reserves a quarter of the slots for hosts whose latest fetch succeeded', async () => {
      server.replies['/'] = json({ a: 1 });
      const safe = patient();
      expect(await safe.json(server.url('/'))).toMatchObject({ body: { a: 1 } });
      const { refused, end } = await occupy(
        safe,
        numbers.map((number) => `evil${number}.example`),
      );
      expect(refused).toBe(80 - 48);
      expect(await safe.json(server.url('/'), '192.0.2.1')).toMatchObject({ body: { a: 1 } });
      expect(await faultOf(safe.json(server.url('/', 'other.example')))).toBe('busy');
      await end();
      expect(await safe.json(server.url('/', 'other.example'))).toMatchObject({ body: { a: 1 } });
    });

    it('reserves no slot for a host whose latest fetch failed', async () => {
      server.replies['/'] = json({ a: 1 });
      const safe = patient();
      await safe.json(server.url('/'));
      server.replies['/'] = (response) => response.socket?.destroy();
      expect(await faultOf(safe.json(server.url('/')))).toBe('network');
      const { end } = await occupy(
        safe,
        numbers.map((number) => `evil${number}.example`),
      );
      expect(await faultOf(safe.json(server.url('/')))).toBe('busy');
      await end();
    });

    it('reserves slots for a host even if a fetch from another port of it fails', async () => {
      server.replies['/'] = json({ a: 1 });
      const safe = patient();
      await safe.json(server.url('/'));
      expect(await faultOf(safe.json('https://client.example:1024/'))).toBe('network');
      const { end } = await occupy(
        safe,
        numbers.map((number) => `evil${number}.example`),
      );
      expect(await safe.json(server.url('/'))).toMatchObject({ body: { a: 1 } });
      await end();
    });

    it('remembers only a few successful hosts of each domain', async () => {
      server.replies['/'] = json({ a: 1 });
      const safe = patient();
      await safe.json(server.url('/', 'other.example'));
      for (const number of numbers.slice(0, 17)) await safe.json(server.url('/', `a${number}.client.example`));
      const { end } = await occupy(
        safe,
        numbers.map((number) => `evil${number}.example`),
      );
      expect(await faultOf(safe.json(server.url('/', 'a0.client.example')))).toBe('busy');
      for (const name of ['other.example', 'a1.client.example', 'a16.client.example'])
        expect(await safe.json(server.url('/', name))).toMatchObject({ body: { a: 1 } });
      await end();
    });

    it('aborts a name lookup after a third of the timeout', async () => {
      let isAborted = false;
      const stalled = (_: string, signal: AbortSignal) =>
        new Promise<string[]>(() => signal.addEventListener('abort', () => (isAborted = true)));
      await expect(fetching({ timeout: 3, lookup: stalled }).json(server.url('/'))).rejects.toMatchObject({
        kind: 'network',
        message: expect.stringContaining('did not respond within 1 s'),
      });
      expect(isAborted).toBe(true);
    });
  });

  it('apply to many domains whose addresses are in one IPv4 /24', async () => {
    server.replies['/'] = json({ a: 1 });
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => {
      silent.listen(0, '0.0.0.0', resolve);
    });
    const { port } = silent.address() as AddressInfo;
    const lookup = async (name: string) => [name.startsWith('evil') ? `127.9.9.${/\d+/.exec(name)![0]}` : '127.0.0.1'];
    const safe = fetching({ allow: ['127.0.0.0/8'], timeout: 300, lookup });
    const all = Array.from({ length: 40 }, (_, number) =>
      faultOf(safe.json(`https://evil${number + 1}.example:${port}/`)),
    );
    expect(await safe.json(server.url('/'))).toMatchObject({ body: { a: 1 } });
    await waitUntil(() => sockets.length === 16);
    for (const socket of sockets) socket.destroy();
    const faults = await Promise.all(all);
    expect(faults.filter((fault) => fault === 'busy')).toHaveLength(24);
    expect(faults.filter((fault) => fault === 'network')).toHaveLength(16);
    silent.close();
  });

  it.each([
    ['IPv4 address', 4, () => '192.0.2.1'],
    ['IPv4 /24', 16, (number: number) => `192.0.2.${number}`],
    ['IPv6 /64', 4, (number: number) => `2001:db8:1:2::${number}`],
    ['IPv6 /48', 16, (number: number) => `2001:db8:1:${number}::1`],
    ['pair of IPv6 /48', 32, (number: number) => `2001:db8:${number % 2}:${number}::1`],
  ])('allow this many connections to one %s: %i', async (_, expected, addressAt) => {
    const slots = new FetchSlots(64, 4);
    let begun = 0;
    for (let number = 0; number < 40; number++) {
      const work = () => new Promise<never>(() => void (begun += 1));
      slots.forConnection(new URL(`https://host${number}.example`), addressAt(number), work).catch(() => undefined);
    }
    await setTimeout(1);
    expect(begun).toBe(expected);
  });

  it.each([
    ['timeout', 0],
    ['size', -1],
    ['concurrency', NaN],
    ['allow', ['10.0.0.0/33']],
    ['allow', ['example.com']],
  ])('reject the option `%s` with the value %p', (name, value) => {
    expect(() => new SafeFetch({ [name]: value })).toThrow(/^Invalid argument: .+ of a fetch/);
  });
});

describe('requests that SafeFetch sends with any method and headers', () => {
  const configured = () => new SafeFetch({ ca: CERTIFICATE, lookup: here }, new Set([`client.example:${server.port}`]));

  it('returns the response with any status, and follows no redirect', async () => {
    server.replies['/token'] = (response) => response.writeHead(302, { location: server.url('/elsewhere') }).end('no');
    const headers = { accept: '*/*', authorization: 'Basic YTpi', 'content-type': 'application/x-www-form-urlencoded' };
    const { status, body } = await configured().request(server.url('/token'), { method: 'POST', headers, body: 'a=b' });
    expect({ status, body: body.toString(), urls: server.requests.map(({ url }) => url) }).toEqual({
      status: 302,
      body: 'no',
      urls: ['/token'],
    });
    const [{ method, headers: sent }] = server.requests as [TlsServer['requests'][0]];
    expect({ method, sent }).toMatchObject({
      method: 'POST',
      sent: { ...headers, 'content-length': '3', 'accept-encoding': 'identity' },
    });
  });

  it('limits the size of each response', async () => {
    server.replies['/large'] = json({ a: 'b'.repeat(1000) });
    const large = (size?: number) => configured().request(server.url('/large'), { headers: {} }, size);
    expect((await large()).status).toBe(200);
    expect(await faultOf(large(999))).toBe('response');
  });

  it('reach private addresses only of hosts that the operator configured, with their port', async () => {
    server.replies['/'] = json({});
    expect((await configured().request(server.url('/'), { headers: {} })).status).toBe(200);
    const other = new SafeFetch({ ca: CERTIFICATE, lookup: here }, new Set([`client.example:1`, 'other.example']));
    expect(await faultOf(other.request(server.url('/'), { headers: {} }))).toBe('address');
    expect(await faultOf(configured().request('https://10.0.0.1:8443/', { headers: {} }))).toBe('url');
  });

  it('use http only to a loopback address of a configured host', async () => {
    const hosts = new Set(['localhost:1', '10.0.0.1:8080', 'inside.example']);
    const fetch = new SafeFetch({ lookup: async () => ['10.0.0.1'] }, hosts);
    expect(await faultOf(fetch.request('http://localhost:1/', { headers: {} }))).toBe('network');
    expect(await faultOf(fetch.request('http://10.0.0.1:8080/', { headers: {} }))).toBe('url');
    expect(await faultOf(fetch.request('http://inside.example/', { headers: {} }))).toBe('url');
    expect(await faultOf(fetch.request('http://localhost:2/', { headers: {} }))).toBe('url');
  });
});
