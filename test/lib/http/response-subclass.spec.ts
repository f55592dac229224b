import { describe, expect, it } from '@jest/globals';
import { OAuth2Server, type Request, Response } from 'nest-oauth2/server';
import { addAccessToken, createHost } from '../../support/model.js';
import { authorizeRequest, formRequest, resourceRequest, signedIn, tokenRequest } from '../../support/requests.js';

/** A response of a host that passes each header on the moment it is set. */
class PassingResponse extends Response {
  passed: Record<string, string> = {};

  override set(field: string, value: string): void {
    super.set(field, value);
    this.passed[field.toLowerCase()] = value;
  }
}

const host = createHost();
addAccessToken(host, { scope: 'read' });
const server = new OAuth2Server({ model: host.model, ...signedIn });

describe('a response of a class of the host', () => {
  it.each<[string, 'authenticate' | 'authorize' | 'token', Request]>([
    ['a good token', 'authenticate', resourceRequest()],
    ['an unknown token', 'authenticate', resourceRequest('Bearer unknown')],
    ['no token', 'authenticate', resourceRequest(null)],
    ['a code', 'authorize', authorizeRequest()],
    ['a redirected refusal', 'authorize', authorizeRequest({ state: undefined })],
    ['a refusal', 'authorize', authorizeRequest({ client_id: 'unknown' })],
    ['a new token', 'token', tokenRequest({ grant_type: 'client_credentials' })],
    ['a client without proof', 'token', formRequest({ grant_type: 'client_credentials' })],
  ])('hears of every header by its set(): %s', async (_, operation, request) => {
    const response = new PassingResponse();
    const options = operation === 'authenticate' ? { scope: 'read' } : {};
    await server[operation](request, response, options).catch(() => undefined);
    expect(Object.keys(response.headers)).not.toEqual([]);
    expect(response.passed).toEqual(response.headers);
  });
});
