import { createServer, request as forward } from 'node:http';
import type { OAuth2ModuleOptions } from 'nest-oauth2';
import type { SafeFetchOptions } from 'nest-oauth2/features';
import { mcp } from 'nest-oauth2/mcp';
import { everyFeature, MODEL_OF_EVERY_FEATURE } from '../../support/servers/every-feature.js';
import { freePort } from '../../support/environment/free-port.js';
import { mcpModule, mcpStore, NOTES } from '../../support/servers/mcp-application.js';
import { type Platform, startApplication } from '../../support/servers/test-application.js';

/** An application that serves all clients of the table. */
export interface ClientSetup {
  /** The public URL of the MCP endpoint. */
  endpoint: string;
  store: ReturnType<typeof mcpStore>;
  stop(): void;
}

type Start = (platform: Platform, fetch: SafeFetchOptions) => Promise<ClientSetup>;

async function start(platform: Platform, port: number, options: Partial<OAuth2ModuleOptions>, trustProxy = false) {
  const store = Object.assign(mcpStore(), MODEL_OF_EVERY_FEATURE);
  await startApplication(platform, mcpModule({ model: store, ...options }), { port, trustProxy });
  return store;
}

/** The applications in which each client is tested. */
export const CLIENT_SETUPS: Record<string, Start> = {
  async 'mcp() alone'(platform, fetch) {
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    const store = await start(platform, port, { issuer, features: [mcp({ ...NOTES, clientIdDocuments: { fetch } })] });
    return { endpoint: `${issuer}/mcp`, store, stop: () => undefined };
  },

  async 'every other feature'(platform, fetch) {
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    const features = [...everyFeature({}, fetch), mcp({ ...NOTES, clientIdDocuments: { fetch } })];
    const store = await start(platform, port, { issuer, features });
    return { endpoint: `${issuer}/mcp`, store, stop: () => undefined };
  },

  async 'a proxy that removes a path prefix'(platform, fetch) {
    const [port, inner] = [await freePort(), await freePort()];
    const issuer = `http://127.0.0.1:${port}/app`;
    const features = [mcp({ ...NOTES, resource: '/app/mcp', clientIdDocuments: { fetch } })];
    const store = await start(platform, inner, { issuer, features }, true);
    return { endpoint: `${issuer}/mcp`, store, stop: await startProxy(port, inner) };
  },
};

/** Starts a proxy that removes the prefix `/app` and forwards all other paths unchanged. Returns a function to stop it. */
async function startProxy(port: number, target: number): Promise<() => void> {
  const proxy = createServer((request, response) => {
    const { method, headers, url = '' } = request;
    const forwarded = { 'x-forwarded-host': headers.host, 'x-forwarded-proto': 'http', 'x-forwarded-prefix': '/app' };
    const path = url.startsWith('/app/') ? url.slice('/app'.length) : url;
    const options = { host: '127.0.0.1', port: target, method, path, headers: { ...headers, ...forwarded } };
    const sent = forward(options, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    request.pipe(sent);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(port, '127.0.0.1', resolve);
  });
  return () => {
    proxy.close();
    proxy.closeAllConnections();
  };
}
