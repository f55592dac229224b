import { setTimeout } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { personalAccessTokens } from 'nest-oauth2/features';
import { pages, urlElicitation } from 'nest-oauth2/pages';
import { waitUntil } from '../../support/environment/wait-until.js';
import { get } from '../../support/clients/http.js';
import { PLATFORMS, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from '../pages/page-browser.js';
import { connected, done, type ElicitingApplication, running, startEliciting } from './elicitation-application.js';

const META = 'io.modelcontextprotocol';

type Answer = Record<string, any>; // oxlint-disable-line no-explicit-any

interface Retry {
  action?: string;
  revision?: string;
  capabilities?: object;
  signal?: AbortSignal;
  /** The path of the MCP endpoint. */
  path?: string;
}

/** Calls a tool as a client does that the SDK did not write. */
async function call(
  { url }: ElicitingApplication,
  token: string,
  name: string,
  args: object = {},
  { action, revision = '2026-07-28', capabilities = { elicitation: { url: {} } }, signal, path = '/mcp' }: Retry = {},
): Promise<Answer> {
  const meta = {
    [`${META}/protocolVersion`]: revision,
    [`${META}/clientInfo`]: { name: 'test', version: '1.0.0' },
    [`${META}/clientCapabilities`]: capabilities,
  };
  const isNew = revision === '2026-07-28';
  const params = {
    name,
    arguments: args,
    ...(isNew && { _meta: meta }),
    ...(action !== undefined && { inputResponses: { page: { action } } }),
  };
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    ...(signal && { signal }),
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      ...(isNew && { 'mcp-method': 'tools/call', 'mcp-name': name }),
    },
  });
  const text = await response.text();
  const data = text.split('\n').find((line) => line.startsWith('data: {'));
  const { result, error } = JSON.parse(data?.slice('data: '.length) ?? text) as Answer;
  return error ? { error } : (result as Answer);
}

const urlIn = (answer: Answer): string => answer['inputRequests'].page.params.url as string;
const pathIn = (answer: Answer): string => {
  const { pathname, search } = new URL(urlIn(answer));
  return pathname + search;
};

describe.each(PLATFORMS)('`urlElicitation()` on %s', (platform) => {
  let app: ElicitingApplication;
  let alice: string;

  beforeEach(async () => {
    done.length = 0;
    connected.clear();
    app = await startEliciting(platform, { wait: 0 });
    alice = await app.tokenOf('alice');
  });
  afterEach(stopApplications);

  async function signedIn(username: string) {
    const browser = new PageBrowser(app.url);
    await browser.signIn('/oauth/login', username);
    return browser;
  }

  async function confirm(browser: PageBrowser, path: string) {
    return browser.send(await browser.get(path));
  }

  it('asks the user to confirm, and continues the call once', async () => {
    const requested = await call(app, alice, 'pay', { amount: 20 });
    expect(requested).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        page: {
          method: 'elicitation/create',
          params: {
            mode: 'url',
            message: 'Pay 20 euros?',
            url: expect.stringMatching(`^${app.url}/oauth/elicitation`),
          },
        },
      },
    });
    expect(Buffer.from(urlIn(requested), 'base64url').toString()).not.toContain('Alice');
    const browser = await signedIn('alice');
    const page = await browser.get(pathIn(requested));
    expect(page.html).toContain('Claude &lt;b&gt;');
    expect(page.html).toContain('Pay 20 euros?');
    expect(done).toEqual([]);
    const confirmed = await browser.send(page);
    expect([confirmed.status, confirmed.html]).toEqual([200, expect.stringContaining('Confirmed.')]);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call(app, alice, 'pay', { amount: 20 }, { action: 'accept' })),
    );
    expect(answers.filter(({ resultType }) => resultType === 'complete')).toHaveLength(1);
    expect(done).toEqual(['paid 20']);
    expect((await browser.send(page)).status).toBe(410);
    expect(await call(app, alice, 'pay', { amount: 20 })).toMatchObject({ resultType: 'input_required' });
  });

  it('continues only the call that was confirmed, of the same user and client', async () => {
    const browser = await signedIn('alice');
    await confirm(browser, pathIn(await call(app, alice, 'pay', { amount: 1 })));
    const others = [
      await call(app, alice, 'pay', { amount: 1000 }, { action: 'accept' }),
      await call(app, await app.tokenOf('bob'), 'pay', { amount: 1 }, { action: 'accept' }),
      await call(app, await app.tokenOf('alice', 'other-app'), 'pay', { amount: 1 }, { action: 'accept' }),
    ];
    expect(others.map(({ resultType }) => resultType)).toEqual(['input_required', 'input_required', 'input_required']);
    expect(done).toEqual([]);
    expect(await call(app, alice, 'pay', { amount: 1 })).toMatchObject({ content: [{ text: 'paid' }] });
  });

  it('refuses another user who opens the URL, and sends nobody in without a login', async () => {
    const path = pathIn(await call(app, alice, 'pay', { amount: 20 }));
    const bob = await (await signedIn('bob')).get(path);
    expect([bob.status, bob.html]).toEqual([403, expect.stringContaining('for another user')]);
    expect(bob.html).not.toContain('Pay 20 euros?');
    const nobody = await new PageBrowser(app.url).get(path);
    expect([nobody.status, nobody.location]).toEqual([303, expect.stringContaining('/oauth/login?')]);
    const own = pathIn(await call(app, alice, 'order', { amount: 20 })).split('elicitation=')[1];
    expect((await (await signedIn('bob')).get(`/sign?elicitation=${own}`)).status).toBe(403);
    expect((await get(`${app.url}/sign?elicitation=${own}`)).status).toBe(403);
  });

  it.each(['', 'x', 'A'.repeat(60)])('rejects a URL that this server did not issue: %j', async (text) => {
    const browser = await signedIn('alice');
    expect((await browser.get(`/oauth/elicitation?elicitation=${text}`)).status).toBe(410);
    expect((await browser.get(`/sign?elicitation=${text}`)).status).toBe(400);
  });

  it('rejects a form without its CSRF token, and the forms of other sites', async () => {
    const requested = await call(app, alice, 'pay', { amount: 20 });
    const browser = await signedIn('alice');
    const page = await browser.get(pathIn(requested));
    expect((await browser.send(page, { csrf_token: 'x' })).status).toBe(403);
    const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await browser.send(page, {}, evil)).status).toBe(403);
    expect(await call(app, alice, 'pay', { amount: 20 })).toMatchObject({ resultType: 'input_required' });
  });

  it('leads to a page of the application, which reads the data and completes the call', async () => {
    const requested = await call(app, alice, 'order', { amount: 7 });
    const browser = await signedIn('alice');
    const { location } = await browser.get(pathIn(requested));
    expect(location).toMatch(/^\/sign\?lang=en&elicitation=/);
    expect(JSON.parse((await browser.get(location!)).html)).toEqual({
      id: expect.any(String),
      message: 'Sign the order.',
      data: { amount: 7 },
      client: { id: 'app', name: 'Claude <b>' },
    });
    const elicitation = new URL(urlIn(requested)).searchParams.get('elicitation')!;
    const send = (headers: Record<string, string> = {}) => browser.post('/sign', { elicitation }, headers);
    expect((await send({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(JSON.parse((await send()).html)).toEqual({ signed: true });
    expect((await send()).status).toBe(400);
    expect(await call(app, alice, 'order', { amount: 7 }, { action: 'accept' })).toMatchObject({
      content: [{ text: 'ordered' }],
    });
    expect(done).toEqual(['ordered 7']);
  });

  it('sends the user to the page of an error with a URL on this server', async () => {
    const requested = await call(app, alice, 'calendar');
    expect(requested).toMatchObject({ inputRequests: { page: { params: { message: 'Connect your calendar.' } } } });
    const { location } = await (await signedIn('alice')).get(pathIn(requested));
    expect(location).toMatch(/^\/calendar\/connect\?elicitation=/);
    connected.add('alice');
    expect(await call(app, alice, 'calendar', {}, { action: 'accept' })).toMatchObject({
      content: [{ text: 'Tea at six' }],
    });
    const elsewhere = await call(app, alice, 'elsewhere');
    expect(elsewhere).toMatchObject({ isError: true, content: [{ text: '404' }] });
  });

  it('tells clients without URL elicitation the URL as text, and continues their next call', async () => {
    const plain = { capabilities: {} };
    const { isError, content } = await call(app, alice, 'pay', { amount: 3 }, plain);
    const [, url] = /then call again: (\S+)$/.exec(content[0].text as string)!;
    expect(isError).toBe(true);
    await confirm(await signedIn('alice'), url!.slice(app.url.length));
    expect(await call(app, alice, 'pay', { amount: 3 }, plain)).toMatchObject({ content: [{ text: 'paid' }] });
  });

  it('answers clients of revision 2025-11-25 with the error -32042', async () => {
    const { error } = await call(app, alice, 'pay', { amount: 3 }, { revision: '2025-11-25' });
    expect(error).toMatchObject({
      code: -32042,
      data: {
        elicitations: [
          { mode: 'url', elicitationId: expect.any(String), message: 'Pay 3 euros?', url: expect.any(String) },
        ],
      },
    });
  });

  it('continues the call of the personal access token that was confirmed, and of no other one', async () => {
    await stopApplications();
    const features = [pages(), urlElicitation({ wait: 0 }), personalAccessTokens({ scopes: ['tools'] })];
    app = await startEliciting(platform, {}, { features });
    const [one, other] = await Promise.all(['Laptop', 'Server'].map((name) => app.personalTokenOf('alice', name)));
    const pay = async (token: string) => call(app, token, 'pay', { amount: 20 }, { path: '/tools' });
    const path = pathIn(await pay(one!));
    const browser = await signedIn('alice');
    expect((await browser.get(path)).html).toContain('Laptop');
    await confirm(browser, path);
    expect((await pay(other!))['resultType']).toBe('input_required');
    expect(await pay(one!)).toMatchObject({ content: [{ text: 'paid' }] });
  });

  it('speaks the language of the user', async () => {
    await stopApplications();
    const languages = { de: { features: { elicitation: { elicitationConfirm: 'Ja, gern' } } } };
    app = await startEliciting(platform, { wait: 0 }, {}, { languages });
    const requested = await call(app, await app.tokenOf('alice'), 'pay', { amount: 1 });
    const page = await (await signedIn('alice')).get(pathIn(requested), { 'accept-language': 'de' });
    expect(page.html).toContain('Ja, gern');
    expect(page.html).toContain('Confirm a request');
  });

  it('does not ask a user again who declined', async () => {
    const declined = await call(app, alice, 'pay', { amount: 3 }, { action: 'decline' });
    expect(declined).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('did not open') }] });
  });

  it('stops waiting for the user when the client disconnects, and uses no confirmation for it', async () => {
    await stopApplications();
    app = await startEliciting(platform, { wait: 50 });
    const token = await app.tokenOf('alice');
    const path = pathIn(await call(app, token, 'pay', { amount: 4 }));
    const client = new AbortController();
    const waiting = call(app, token, 'pay', { amount: 4 }, { action: 'accept', signal: client.signal });
    await waitUntil(() => running.count === 1);
    client.abort();
    await expect(waiting).rejects.toThrow('aborted');
    await waitUntil(() => running.count === 0);
    await confirm(await signedIn('alice'), path);
    expect(done).toEqual([]);
    expect(await call(app, token, 'pay', { amount: 4 })).toMatchObject({ content: [{ text: 'paid' }] });
  });

  it('continues the call of the official SDK while the user confirms', async () => {
    await stopApplications();
    app = await startEliciting(platform, { wait: 20 });
    const token = await app.tokenOf('alice');
    const browser = await signedIn('alice');
    const client = new Client(
      { name: 'sdk', version: '1.0.0' },
      { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: 'auto' } },
    );
    const opened: string[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const { url } = params as { url: string };
      opened.push(url);
      // The user confirms after the client has repeated its call.
      void setTimeout(500).then(async () => confirm(browser, url.slice(app.url.length)));
      return { action: 'accept' };
    });
    const transport = new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    await client.connect(transport);
    const { content } = await client.callTool({ name: 'pay', arguments: { amount: 9 } });
    expect(content).toEqual([{ type: 'text', text: 'paid' }]);
    expect([opened.length, done]).toEqual([1, ['paid 9']]);
    await client.close();
  });
});
