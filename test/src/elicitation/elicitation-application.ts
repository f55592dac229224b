import { McpServer, UrlElicitationRequiredError } from '@modelcontextprotocol/server';
import { All, Body, Controller, Get, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import {
  type NativeRequest,
  OAuth2Elicitations,
  OAuth2Module,
  OAuth2PersonalTokens,
  type OAuth2ModuleOptions,
  OAuthGuard,
  Scopes,
  UserRequired,
} from 'nest-oauth2';
import { mcp } from 'nest-oauth2/mcp';
import { pages, type PagesOptions, urlElicitation, type UrlElicitationOptions } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { z } from 'zod';
import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { type McpRequest, type McpResponse, serveMcp } from '../../support/servers/mcp-handler.js';
import {
  type Platform,
  startApplication,
  type TestApplicationOptions,
} from '../../support/servers/test-application.js';

const people = { alice: { id: '1', name: 'Alice' }, bob: { id: '2', name: 'Bob' } };

/** The error of a feature that needs the user's consent at a third party. */
class ConsentRequired extends Error {
  readonly url = '/calendar/connect';
}

/** The calls of the tools of the application. */
export const done: string[] = [];

/** The number of calls that are running. */
export const running = { count: 0 };

/** The users who connected a calendar. */
export const connected = new Set<string>();

@Controller('mcp')
@UseGuards(OAuthGuard)
@UserRequired()
export class ElicitingController {
  constructor(@Inject(OAuth2Elicitations) private readonly elicitations: OAuth2Elicitations) {}

  @All()
  async handle(
    @Req() request: NativeRequest & McpRequest,
    @Res() response: McpResponse,
    @Body() body: unknown,
  ): Promise<void> {
    await serveMcp(() => this.serverFor(request), { request, response, body });
  }

  private serverFor(request: NativeRequest): McpServer {
    const server = new McpServer({ name: 'shop', version: '1.0.0' });
    const text = (content: string) => ({ content: [{ type: 'text' as const, text: content }] });
    const amount = { inputSchema: z.object({ amount: z.number() }) };
    const run = async <T>(work: Parameters<typeof this.elicitations.run<T>>[1]) => {
      running.count += 1;
      const result = this.elicitations.run(request, work, { UrlElicitationRequiredError });
      return result.finally(() => (running.count -= 1));
    };
    server.registerTool('pay', amount, (args) =>
      run(async (elicited) => {
        await elicited.require({ message: `Pay ${args.amount} euros?` });
        done.push(`paid ${args.amount}`);
        return text('paid');
      }),
    );
    server.registerTool('order', amount, (args) =>
      run(async (elicited) => {
        await elicited.require({ message: 'Sign the order.', url: '/sign?lang=en', data: { amount: args.amount } });
        done.push(`ordered ${args.amount}`);
        return text('ordered');
      }),
    );
    server.registerTool('calendar', {}, () =>
      run(() => {
        if (connected.size === 0) throw new ConsentRequired('Connect your calendar.');
        return text('Tea at six');
      }),
    );
    server.registerTool('elsewhere', {}, () =>
      run(() => Promise.reject(Object.assign(new Error('404'), { url: 'https://api.other.example/x' }))),
    );
    return server;
  }
}

/** The same tools, for personal access tokens too. */
@Controller('tools')
@Scopes('tools')
export class ScopedController extends ElicitingController {}

/** The application's own page. */
@Controller()
export class OwnPageController {
  constructor(@Inject(OAuth2Elicitations) private readonly elicitations: OAuth2Elicitations) {}

  @Get('sign')
  show(@Req() request: NativeRequest) {
    return this.elicitations.find(request);
  }

  @Post('sign')
  async sign(@Req() request: NativeRequest) {
    await this.elicitations.complete(request);
    return { signed: true };
  }

  @Get('signed')
  async return(@Req() request: NativeRequest) {
    await this.elicitations.complete(request, { crossSite: true });
    return { signed: true };
  }
}

export interface ElicitingApplication {
  url: string;
  store: MemoryStore;
  /** Returns an access token of a user. */
  tokenOf(name: keyof typeof people, client?: string): Promise<string>;
  /** Returns a personal access token of a user. */
  personalTokenOf(name: keyof typeof people, tokenName: string): Promise<string>;
}

/** Starts an application whose tools need their user at a browser. */
export async function startEliciting(
  platform: Platform,
  options: UrlElicitationOptions = {},
  more: Partial<OAuth2ModuleOptions> = {},
  look: PagesOptions = {},
  application: Pick<TestApplicationOptions, 'http2'> = {},
): Promise<ElicitingApplication> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const app = { secret: 'secret', grants: ['authorization_code'], redirectUris: ['https://app.example/callback'] };
  const clients = [
    { ...app, id: 'app', name: 'Claude <b>' },
    { ...app, id: 'other-app' },
  ];
  const store = new MemoryStore({
    clients,
    users: {
      findById: (id) => Object.values(people).find((one) => one.id === id),
      findByCredentials: (name, word) => word === 'wonderland' && people[name as 'alice'],
    },
  });
  const oauth = OAuth2Module.forRoot({
    model: store,
    issuer,
    secret: SECRET,
    features: [pages(look), mcp(), urlElicitation(options)],
    ...more,
  });
  const controllers = [ElicitingController, ScopedController, OwnPageController];
  const { app: nest } = await startApplication(platform, { imports: [oauth], controllers }, { ...application, port });
  return {
    url: issuer,
    store,
    async personalTokenOf(name, tokenName) {
      const tokens = nest.get(OAuth2PersonalTokens, { strict: false });
      return (await tokens.create(undefined, people[name], { name: tokenName, scopes: ['tools'] })).token;
    },
    async tokenOf(name, client = 'app') {
      const accessToken = `${name} ${client}`.replace(' ', '-');
      const token = {
        accessToken,
        accessTokenExpiresAt: new Date(Date.now() + 3_600_000),
        issuer,
        resource: [`${issuer}/mcp`],
        client: clients.find(({ id }) => id === client)!,
        user: people[name],
      };
      await store.saveToken(token, token.client, token.user);
      return accessToken;
    },
  };
}
