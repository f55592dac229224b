import { once } from 'node:events';
import { createServer } from 'node:http';

/** Milliseconds between a request and its response. */
const DELAY = 40;

/** Seconds for which an access token is valid after a refresh. */
const LIFETIME = 3600;

/**
 * Starts a provider that rotates refresh tokens: each is accepted once. The refresh tokens of a user are `USER:0`,
 * `USER:1` and so on. An authorization code is the name of its user, and its access token has expired.
 * @param revokesReplays whether a second use of a refresh token ends all tokens of its user. RFC 9700 §4.14.2
 */
export async function startProvider(revokesReplays) {
  const users = new Map();
  const stateOf = (user) => {
    if (!users.has(user)) users.set(user, { next: 0, requests: 0, accepted: 0, isRevoked: false });
    return users.get(user);
  };

  const refresh = (token) => {
    const [user, number] = token.split(':');
    const state = stateOf(user);
    state.requests += 1;
    if (state.isRevoked || Number(number) !== state.next) {
      if (revokesReplays) state.isRevoked = true;
      return undefined;
    }
    state.accepted += 1;
    state.next += 1;
    return {
      access_token: `access ${user}:${state.next}`,
      refresh_token: `${user}:${state.next}`,
      expires_in: LIFETIME,
    };
  };

  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const form = new URLSearchParams(body);
    const code = form.get('code');
    const tokens = code
      ? { access_token: `access ${code}`, refresh_token: `${code}:0`, expires_in: 1 }
      : refresh(form.get('refresh_token'));
    setTimeout(() => {
      response.writeHead(tokens ? 200 : 400, { 'content-type': 'application/json' });
      response.end(JSON.stringify(tokens ? { token_type: 'Bearer', ...tokens } : { error: 'invalid_grant' }));
    }, DELAY);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stateOf,
    /** Whether an API of the provider accepts an access token. */
    accepts(token) {
      const [user, number] = token.replace('access ', '').split(':');
      const { isRevoked, next } = stateOf(user);
      return !isRevoked && Number(number) === next;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
