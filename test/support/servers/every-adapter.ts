import { randomUUID } from 'node:crypto';
import { userDenied } from 'nest-oauth2/adapter';
import { isClientItself, OAuth2Server, type Request, type Response, type User } from 'nest-oauth2/server';
import type { OAuth2ModuleOptions } from 'nest-oauth2';
import { demoModule, demoStore } from './demo.js';
import { type Platform, PLATFORMS, startApplication, stopApplications } from './test-application.js';
import { type Application, type RunningServer, startNode } from './node-adapter.js';

/**
 * The adapters for tests that must pass on all of them: the platforms of Nest, and an adapter for `node:http` that
 * imports only public entry points.
 */
export const ADAPTERS = [...PLATFORMS, 'node:http'] as const;
export type Adapter = (typeof ADAPTERS)[number];

type DemoOptions = Pick<OAuth2ModuleOptions, 'cors' | 'features' | 'issuer'>;

const running: RunningServer[] = [];

/** Starts the demo application, with login, consent and a guarded API. */
export async function startDemo(adapter: Adapter, options: DemoOptions = {}): Promise<{ url: string }> {
  if (adapter !== 'node:http') return startApplication(adapter satisfies Platform, demoModule(options));
  const started = await startNode(() => nodeDemo(new OAuth2Server({ model: demoStore(), ...options })));
  running.push(started);
  return started;
}

/** Stops all demo applications. Call it in `afterEach` or `afterAll`. */
export async function stopDemos(): Promise<void> {
  await Promise.all([stopApplications(), ...running.splice(0).map((application) => application.stop())]);
}

/** Returns the user named in the cookie `user`. */
const userOf = (request: Request): User | undefined => {
  const [, id] = /^user=(alice|bob)$/.exec(request.get('cookie') ?? '') ?? [];
  return id === undefined ? undefined : { id };
};

/** Returns the demo application without a web framework: a consent page as JSON and a guarded API. */
export function nodeDemo(server: OAuth2Server): Application {
  const csrfTokens = new Set<string>();
  return {
    server,
    async authorize(request, response) {
      const authorizationRequest = await server.readAuthorizationRequest(request, response);
      const user = userOf(request);
      const returnTo = `/oauth/authorize?${new URLSearchParams(request.query as Record<string, string>).toString()}`;
      if (!user) return response.redirect(`/login?return_to=${encodeURIComponent(returnTo)}`);
      const scope = await server.grantableScope(authorizationRequest, user, response);
      const { csrf_token: posted, decision } = request.body as Record<string, string>;
      if (posted !== undefined && csrfTokens.delete(posted)) {
        return server.decide(
          authorizationRequest,
          decision === 'allow' ? { user } : { user, error: userDenied() },
          response,
        );
      }
      const csrfToken = randomUUID();
      csrfTokens.add(csrfToken);
      return showPage(response, {
        user: user['id'],
        client: authorizationRequest.client.id,
        scope,
        action: returnTo,
        csrf_token: csrfToken,
      });
    },
    routes: {
      'GET /notes': {
        requirements: { scope: 'notes:read' },
        handle: ({ user, client }) => ({
          ...(!isClientItself(user) && { user: user['id'] as string }),
          client: client.id,
        }),
      },
      'POST /notes': { requirements: { scope: 'notes:write' }, handle: ({ user }) => ({ user }) },
    },
  };
}

function showPage(response: Response, page: object): void {
  response.set('content-type', 'text/html; charset=utf-8');
  response.body = JSON.stringify(page);
}
