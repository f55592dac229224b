import { describe, expect, it } from '@jest/globals';
import { type Feature, ProtectedEndpoint, type ProtectedRequest } from 'nest-oauth2/features';
import { InvalidTokenError, OAuth2Server, Request, Response, TemporarilyUnavailableError } from 'nest-oauth2/server';

/** Stores the title of the JSON body for the user of the token. */
class NotesEndpoint extends ProtectedEndpoint<string> {
  protected readonly id = 'notes';
  protected override readonly scope = 'notes:write';

  protected serve({ token, content }: ProtectedRequest): string {
    if (content['title'] === 'busy')
      throw new TemporarilyUnavailableError('The notes are locked', { code: 503, retryAfter: 7 });
    if (content['title'] === 'blocked') throw new InvalidTokenError('Invalid token: the user is blocked');
    if (content['title'] === 'broken') throw new Error('disk full');
    return `${String(token.user['id'])}: ${String(content['title'])}`;
  }

  protected bodyOf(note: string): object {
    return { note };
  }
}

const notes = (): Feature => ({
  id: 'notes',
  endpoints: {
    notes: {
      path: 'notes',
      methods: ['POST'],
      content: 'json',
      cors: true,
      make: (server) => new NotesEndpoint(server.options, server),
    },
  },
});

const JSON_CONTENT = { 'content-type': 'application/json' };

/** Sends a request to the endpoint, with a token of this scope. `null` sends none. */
async function send(
  scope: string | null,
  body: unknown,
  { method = 'POST', headers = JSON_CONTENT }: { method?: string; headers?: Record<string, string> } = {},
) {
  const events: [string, unknown][] = [];
  const token = { client: { id: 'app', grants: [] }, user: { id: 'alice' }, scope };
  const model = { getAccessToken: () => ({ ...token, accessTokenExpiresAt: new Date(Date.now() + 60_000) }) };
  const server = new OAuth2Server({
    model: model as never,
    features: [notes()],
    cors: { origins: ['https://app.example'] },
    events: { emit: (name: string, payload: unknown) => Boolean(events.push([name, payload])) },
  });
  const authorization = scope === null ? {} : { authorization: 'Bearer access' };
  const request = new Request({
    method,
    headers: { ...authorization, ...headers, origin: 'https://app.example' },
    query: {},
    body,
  });
  const response = new Response();
  await server.handle('notes', request, response).catch(() => undefined);
  return { status: response.status, headers: response.headers, body: response.body as unknown, events };
}

const refusal = (error: string) => [
  ['endpoint.refused', expect.objectContaining({ endpoint: 'notes', error, scope: 'notes:write' })],
];

describe('an endpoint with a JSON body and an access token', () => {
  it('processes a request with a valid token, and forbids caches to store the response', async () => {
    const { status, headers, body, events } = await send('notes:write', { title: 'shopping' });
    expect([status, body, events]).toEqual([200, { note: 'alice: shopping' }, []]);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'access-control-allow-origin': 'https://app.example',
      'x-oauth-scopes': 'notes:write',
    });
  });

  it('sends only a challenge if the request has no token', async () => {
    const { status, headers, body, events } = await send(null, { title: 'shopping' });
    expect([status, body]).toEqual([401, {}]);
    expect(headers['www-authenticate']).toBe('Bearer realm="Service"');
    expect(events).toEqual(refusal('unauthorized_request'));
  });

  it('rejects a token without the scope, with the scope in the challenge', async () => {
    const { status, headers, body, events } = await send('notes:read', { title: 'shopping' });
    expect([status, body]).toMatchObject([403, { error: 'insufficient_scope' }]);
    expect(headers['www-authenticate']).toContain('scope="notes:write"');
    expect(events).toEqual(refusal('insufficient_scope'));
  });

  it.each<[string, number, unknown, Parameters<typeof send>[2]]>([
    ['a form', 400, { title: 'shopping' }, { headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['a JSON list', 400, ['shopping'], {}],
    ['another method', 405, { title: 'shopping' }, { method: 'PUT' }],
  ])('rejects %s with status %d', async (_, expected, content, changes) => {
    const { status, body, headers, events } = await send('notes:write', content, changes);
    expect([status, body]).toMatchObject([expected, { error: 'invalid_request' }]);
    expect(headers['www-authenticate']).toBeUndefined();
    expect(events).toEqual(refusal('invalid_request'));
  });

  it('sends Retry-After if it throws a TemporarilyUnavailableError', async () => {
    const { status, headers, body } = await send('notes:write', { title: 'busy' });
    expect([status, headers['retry-after'], body]).toMatchObject([503, '7', { error: 'temporarily_unavailable' }]);
  });

  it('sends a challenge and emits one event if it rejects the token itself', async () => {
    const { status, headers, events } = await send('notes:write', { title: 'blocked' });
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="Service",error="invalid_token"']);
    expect(events).toEqual(refusal('invalid_token'));
  });

  it('hides the message of an error that is not an OAuthError', async () => {
    const { status, body } = await send('notes:write', { title: 'broken' });
    expect([status, body]).toMatchObject([503, { error: 'server_error' }]);
    expect(JSON.stringify(body)).not.toContain('disk full');
  });
});
