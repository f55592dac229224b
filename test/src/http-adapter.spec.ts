import { describe, expect, it } from '@jest/globals';
import { toOAuthRequest } from 'nest-oauth2';

const native = { method: 'GET', headers: {}, url: '/notes' };

describe('the request made of a native one', () => {
  it('has the query that a hook of the host put there, whatever the URL says', () => {
    expect(toOAuthRequest({ ...native, query: { allowed: 'false' } }).query).toEqual({ allowed: 'false' });
  });

  it('has the query that Express reads from the URL when it is asked', () => {
    class ExpressRequest {
      asked = 0;
      method = 'GET';
      headers = {};
      constructor(readonly url: string) {}
      get query() {
        this.asked++;
        return { page: '2' };
      }
    }
    expect(toOAuthRequest(new ExpressRequest('/notes?page=2')).query).toEqual({ page: '2' });
    const plain = new ExpressRequest('/notes');
    expect(toOAuthRequest(plain).query).toEqual({});
    expect(plain.asked).toBe(0);
  });

  it.each([undefined, null])('has a query where there is none, and the URL is %s', (url) => {
    expect(toOAuthRequest({ ...native, url: url as never }).query).toEqual({});
  });
});
