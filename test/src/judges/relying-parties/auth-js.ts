import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Provider, serve } from './relying-party.js';

// The module name is a variable, because its types conflict with those of Node.js.
const NAME: string = '@auth/core';
const { Auth } = (await import(NAME)) as { Auth(request: Request, config: object): Promise<Response> };

/**
 * Starts an application with Auth.js, which uses discovery, PKCE, `state`, `nonce` and an ID token. By default, Auth.js
 * reads the user from the ID token. With `idToken: false` it calls the userinfo endpoint.
 */
export async function startAuthJs(
  { issuer, clientId, clientSecret }: Provider,
  { idToken }: { idToken?: false } = { idToken: false },
) {
  const config = {
    basePath: '/auth',
    secret: 'a secret of at least thirty-two characters',
    trustHost: true,
    logger: { error: () => undefined, warn: () => undefined },
    providers: [
      {
        id: 'wonderland',
        name: 'Wonderland',
        type: 'oidc',
        issuer,
        clientId,
        clientSecret,
        checks: ['pkce', 'state', 'nonce'],
        ...(idToken === false && { idToken }),
      },
    ],
    callbacks: {
      jwt: ({ token, profile }: { token: object; profile?: object }) => ({
        ...token,
        ...(profile && { reported: profile }),
      }),
      session: ({ session, token }: { session: object; token: { reported?: object } }) => ({
        ...session,
        reported: token.reported,
      }),
    },
  };
  return serve((url) => async (request, response) => {
    const answer = await Auth(await toWeb(request, url), config);
    for (const [name, value] of answer.headers) if (name !== 'set-cookie') response.setHeader(name, value);
    response.setHeader('set-cookie', answer.headers.getSetCookie());
    response.writeHead(answer.status).end(await answer.text());
  });
}

async function toWeb(request: IncomingMessage, url: string): Promise<Request> {
  const { method = 'GET', headers } = request;
  const body = method === 'POST' ? await buffer(request) : null;
  return new Request(new URL(request.url!, url), { method, headers: headers as Record<string, string>, body });
}
