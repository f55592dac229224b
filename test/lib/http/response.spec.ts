import { describe, expect, it } from '@jest/globals';
import { Response } from 'nest-oauth2/server';

describe('Response', () => {
  it.each([[undefined], [null], [{}]])('has the status 200 and is empty if constructed with %j', (options) => {
    const { status, headers, body } = new Response(options);
    expect({ status, headers, body }).toEqual({ status: 200, headers: {}, body: {} });
  });

  it('is constructed with the given body and headers, but always with the status 200', () => {
    const body = { a: 1 };
    const response = new Response({ status: 404, body, headers: { 'X-One': 'Two' }, statusCode: 404 });
    expect(response.status).toBe(200);
    expect(response.body).toBe(body);
    expect(response.headers).toEqual({ 'x-one': 'Two' });
    expect(response['statusCode']).toBe(404);
  });

  it('sets and returns a header by its case-insensitive name', () => {
    const response = new Response();
    response.set('X-Foo', 'bar');
    expect(response.headers).toEqual({ 'x-foo': 'bar' });
    expect([response.get('x-foo'), response.get('X-FOO'), response.get('x-bar')]).toEqual(['bar', 'bar', undefined]);
  });

  it('redirects with the status 302 and a Location header', () => {
    const response = new Response();
    response.redirect('https://app.example/?a=b');
    expect([response.status, response.headers]).toEqual([302, { location: 'https://app.example/?a=b' }]);
  });

  it('copies additional properties, but none that would replace its own', () => {
    const response = new Response({ locals: 1, set: null, get: () => 'mine', redirect: undefined });
    response.set('a', 'b');
    expect([response['locals'], response.get('a')]).toEqual([1, 'b']);
  });

  it('keeps its prototype despite a header named `__proto__`', () => {
    const headers = JSON.parse('{"__proto__":{"polluted":"yes"}}') as object;
    expect(Object.getPrototypeOf(new Response({ headers }).headers)).toBe(Object.prototype);
  });
});
