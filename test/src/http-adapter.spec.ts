import { describe, expect, it } from '@jest/globals';
import { toOAuthRequest } from 'nest-oauth2';

const native = { method: 'GET', headers: {}, url: '/notes' };

describe('the OAuth request created from a native request', () => {
  it('has the query that a hook of the application set, regardless of the URL', () => {
    expect(toOAuthRequest({ ...native, query: { allowed: 'false' } }).query).toEqual({ allowed: 'false' });
  });

  it('has the query that Express parses lazily from the URL', () => {
    class ExpressRequest {
      requested = 0;
      method = 'GET';
      headers = {};
      constructor(readonly url: string) {}
      get query() {
        this.requested++;
        return { page: '2' };
      }
    }
    expect(toOAuthRequest(new ExpressRequest('/notes?page=2')).query).toEqual({ page: '2' });
    const plain = new ExpressRequest('/notes');
    expect(toOAuthRequest(plain).query).toEqual({});
    expect(plain.requested).toBe(0);
  });

  it.each([undefined, null])('has an empty query if there is no native query and the URL is %s', (url) => {
    expect(toOAuthRequest({ ...native, url: url as never }).query).toEqual({});
  });
});
