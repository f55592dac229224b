import * as client from '@modelcontextprotocol/client';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LOOPBACK_CALLBACK } from '../../support/servers/mcp-application.js';

/** The data that a client stores between runs, and the browser that it opens for its user. */
export class ClientStorage {
  kept: { [name: string]: unknown } = {};
  /** All URLs that the client opened in the browser. */
  readonly shown: URL[] = [];
  /** The final URL that the browser was redirected to. */
  landed: URL | undefined;
  readonly clientMetadata: client.OAuthClientMetadata;

  constructor(
    private readonly browse: (url: URL) => Promise<URL>,
    private readonly options: {
      clientId?: string;
      clientMetadataUrl?: string;
      redirectUrl?: string;
      withState?: boolean;
      grants?: string[];
      /** Opens the URL of an elicitation, as the user does. */
      elicit?: (url: string, message: string) => Promise<void>;
    } = {},
  ) {
    this.clientMetadata = {
      client_name: 'Judge',
      redirect_uris: [this.redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: options.grants ?? ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    };
  }

  /** Opens the URL of an elicitation. `undefined` if the client does not support elicitations. */
  get elicit() {
    return this.options.elicit;
  }

  /** The provider object that both SDKs accept. */
  get provider(): client.OAuthClientProvider {
    const keep = (name: string) => (value: unknown) => void (this.kept[name] = value);
    const { clientId, clientMetadataUrl, withState } = this.options;
    return {
      redirectUrl: this.redirectUrl,
      clientMetadata: this.clientMetadata,
      ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
      ...(withState && { state: () => 'a state of mine' }),
      clientInformation: (at) =>
        (this.kept['client'] ?? (clientId && { client_id: clientId, ...(at && { issuer: at.issuer }) })) as never,
      invalidateCredentials: (what) => {
        for (const name of what === 'all' ? Object.keys(this.kept) : [what]) this.kept[name] = undefined;
      },
      saveClientInformation: keep('client'),
      tokens: () => this.kept['tokens'] as never,
      saveTokens: keep('tokens'),
      saveCodeVerifier: keep('verifier'),
      codeVerifier: () => this.kept['verifier'] as string,
      saveDiscoveryState: keep('discovery'),
      discoveryState: () => this.kept['discovery'] as never,
      redirectToAuthorization: async (url) => {
        this.shown.push(url);
        this.landed = await this.browse(url);
      },
    };
  }

  get tokens() {
    return this.kept['tokens'] as { access_token: string; refresh_token?: string; scope?: string };
  }

  get redirectUrl(): string {
    return this.options.redirectUrl ?? LOOPBACK_CALLBACK;
  }
}

/** A connection of either SDK. It repeats a call that required authorization in the browser. */
export interface Connection {
  callTool(name: string, given?: Record<string, unknown>): Promise<unknown>;
  close(): Promise<void>;
}

/** An SDK that connects to the bare URL of an MCP endpoint, and opens the browser if authorization is required. */
export interface Judge {
  name: string;
  connect(url: string, keeper: ClientStorage, network?: typeof fetch): Promise<Connection>;
}

const INFO = { name: 'judge', version: '1.0.0' };

/** Tracks pending requests, because both SDKs open a stream in the background after connecting. */
function tracked(network: typeof fetch) {
  const open = new Set<Promise<unknown>>();
  const follow: typeof fetch = (input, init) => {
    const going = network(input, init);
    open.add(going);
    const over = () => void open.delete(going);
    going.then(over, over);
    return going;
  };
  const idle = async () => {
    do await new Promise(setImmediate);
    while ((await Promise.allSettled(open)).length > 0);
  };
  return { follow, idle };
}

/** The parts of the API that both SDKs have in common. */
interface Parts<Transport> {
  makeTransport(network: typeof fetch): Transport;
  connect(transport: Transport): Promise<{
    callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
    close(): Promise<void>;
  }>;
  finish(transport: Transport, landed: URL): Promise<void>;
  isUnauthorized(error: unknown): boolean;
}

async function through<Transport>(
  keeper: ClientStorage,
  network: typeof fetch,
  parts: Parts<Transport>,
): Promise<Connection> {
  const { follow, idle } = tracked(network);
  let transport = parts.makeTransport(follow);
  /** Authorizes in the browser if an attempt fails for lack of authorization, then tries again. */
  const authorized = async <T>(attempt: () => Promise<T>, again: () => Promise<T>): Promise<T> => {
    const before = keeper.shown.length;
    try {
      return await attempt();
    } catch (error) {
      if (!parts.isUnauthorized(error) || keeper.shown.length === before) throw error;
    }
    await parts.finish(transport, keeper.landed!);
    return again();
  };
  const connected = await authorized(
    () => parts.connect(transport),
    () => parts.connect((transport = parts.makeTransport(follow))),
  );
  await idle();
  return {
    callTool: (name, given = {}) => {
      const call = () => connected.callTool({ name, arguments: given });
      return authorized(call, call);
    },
    close: () => connected.close(),
  };
}

const sdk1: Judge = {
  name: '@modelcontextprotocol/sdk',
  connect: (url, keeper, network = fetch) =>
    through(keeper, network, {
      makeTransport: (follow) =>
        new StreamableHTTPClientTransport(new URL(url), { authProvider: keeper.provider, fetch: follow }),
      async connect(transport) {
        const connecting = new Client(INFO);
        await connecting.connect(transport);
        return connecting;
      },
      finish: (transport, landed) => transport.finishAuth(codeOf(landed)),
      isUnauthorized: (error) => error instanceof UnauthorizedError,
    }),
};

const sdk2: Judge = {
  name: '@modelcontextprotocol/client',
  connect: (url, keeper, network = fetch) =>
    through(keeper, network, {
      makeTransport: (follow) =>
        new client.StreamableHTTPClientTransport(new URL(url), {
          authProvider: keeper.provider,
          fetch: follow,
        }),
      async connect(transport) {
        const { elicit } = keeper;
        const connecting = new client.Client(INFO, {
          ...(elicit && { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: 'auto' as const } }),
        });
        if (elicit)
          connecting.setRequestHandler('elicitation/create', async ({ params }) => {
            await elicit((params as { url: string }).url, params.message);
            return { action: 'accept' };
          });
        await connecting.connect(transport);
        return connecting;
      },
      finish: (transport, landed) => transport.finishAuth(landed.searchParams),
      isUnauthorized: (error) => error instanceof client.UnauthorizedError,
    }),
};

export const JUDGES: readonly Judge[] = [sdk1, sdk2];

function codeOf({ href, searchParams }: URL): string {
  const code = searchParams.get('code');
  if (code === null) throw new Error(`The browser came back without a code: ${href}`);
  return code;
}
