import { describe, expect, it } from '@jest/globals';
import { Response } from 'nest-oauth2/server';

describe('a Response', () => {
  it.each([[undefined], [null], [{}]])('made from %j is an empty 200', (options) => {
    const { status, headers, body } = new Response(options);
    expect({ status, headers, body }).toEqual({ status: 200, headers: {}, body: {} });
  });

  it('is a 200 whatever it is made from, with the body and the headers it is given', () => {
    const body = { a: 1 };
    const response = new Response({ status: 404, body, headers: { 'X-One': 'Two' }, statusCode: 404 });
    expect(response.status).toBe(200);
    expect(response.body).toBe(body);
    expect(response.headers).toEqual({ 'x-one': 'Two' });
    expect(response['statusCode']).toBe(404);
  });

  it('sets and reads a header by any spelling of its name', () => {
    const response = new Response();
    response.set('X-Foo', 'bar');
    expect(response.headers).toEqual({ 'x-foo': 'bar' });
    expect([response.get('x-foo'), response.get('X-FOO'), response.get('x-bar')]).toEqual(['bar', 'bar', undefined]);
  });

  it('redirects by 302 and a location', () => {
    const response = new Response();
    response.redirect('https://app.example/?a=b');
    expect([response.status, response.headers]).toEqual([302, { location: 'https://app.example/?a=b' }]);
  });

  it('adopts further properties, but none that it has already', () => {
    const response = new Response({ locals: 1, set: null, get: () => 'mine', redirect: undefined });
    response.set('a', 'b');
    expect([response['locals'], response.get('a')]).toEqual([1, 'b']);
  });

  it('gets no other prototype from headers of that name', () => {
    const headers = JSON.parse('{"__proto__":{"polluted":"yes"}}') as object;
    expect(Object.getPrototypeOf(new Response({ headers }).headers)).toBe(Object.prototype);
  });
});
