import { describe, expect, it } from '@jest/globals';
import { InvalidArgumentError, Request } from 'nest-oauth2/server';

const whole = { headers: {}, method: 'GET', query: {} };
const withHeaders = (headers: object) => new Request({ ...whole, headers });

describe('Request', () => {
  it.each([
    [undefined, 'headers'],
    [null, 'headers'],
    [{}, 'headers'],
    [{ headers: {} }, 'method'],
    [{ headers: {}, method: 'GET' }, 'query'],
    [{ headers: {}, method: '', query: {} }, 'method'],
  ])('throws for the options %j, which lack `%s`', (options, missing) => {
    const make = () => new Request(options as never);
    expect(make).toThrow(InvalidArgumentError);
    expect(make).toThrow(`Missing parameter: \`${missing}\``);
  });

  it('has the headers, method, query and body of its options', () => {
    const query = { a: '1' };
    const body = { b: '2' };
    const request = new Request({ headers: { 'X-One': 'Two' }, method: 'PUT', query, body });
    expect(request.headers).toEqual({ 'x-one': 'Two' });
    expect([request.method, request.query, request.body]).toEqual(['PUT', query, body]);
    expect(request.query).toBe(query);
    expect(request.body).toBe(body);
  });

  it.each([undefined, null, '', 0, false])('has an empty body if the given body is %j', (body) => {
    expect(new Request({ ...whole, body }).body).toEqual({});
  });

  it('returns a header by its case-insensitive name, and does not change the value', () => {
    const request = withHeaders({ 'Content-Type': 'Text/HTML', 'X-List': ['a', 'b'] });
    expect(['content-type', 'Content-Type', 'CONTENT-TYPE'].map((name) => request.get(name))).toEqual(
      Array.from({ length: 3 }, () => 'Text/HTML'),
    );
    expect(request.get('x-list')).toEqual(['a', 'b']);
    expect(request.get('x-other')).toBeUndefined();
  });

  it('returns the last value of a header that is given twice in different case', () => {
    expect(withHeaders({ Foo: '1', foo: '2' }).get('foo')).toBe('2');
    expect(withHeaders({ foo: '2', Foo: '1' }).get('foo')).toBe('1');
  });

  it('copies additional properties, but none that would replace its own', () => {
    const session = { id: 1 };
    const request = new Request({ ...whole, session, get: () => 'mine', is: () => 'mine', constructor: null });
    expect(request['session']).toBe(session);
    expect(request.get('x')).toBeUndefined();
    expect(request.is('json')).toBe(false);
    expect(request.constructor).toBe(Request);
  });

  it('keeps its prototype despite headers or properties named `__proto__`', () => {
    const polluting = JSON.parse(
      '{"__proto__":{"polluted":"yes"},"headers":{"__proto__":{"polluted":"yes"}}}',
    ) as object;
    const request = new Request({ ...whole, ...polluting, headers: (polluting as typeof whole).headers });
    const options = Object.defineProperty({ ...whole }, '__proto__', { value: { polluted: 'yes' }, enumerable: true });
    for (const made of [request, request.headers, new Request(options)]) {
      expect((made as { polluted?: unknown }).polluted).toBeUndefined();
    }
    expect(Object.getPrototypeOf(request.headers)).toBe(Object.prototype);
  });

  it('ignores inherited headers', () => {
    expect(withHeaders(Object.create({ authorization: 'Bearer inherited' }) as object).headers).toEqual({});
  });

  it('returns undefined for a header that was not sent, such as `constructor`', () => {
    const request = new Request({ method: 'GET', headers: { authorization: 'mine' }, query: {} });
    expect(request.get('constructor')).toBeUndefined();
    expect(request.headers).toEqual({ authorization: 'mine' });
    expect(request.get('constructor')).toBeUndefined();
  });

  it('can be created from a copy by Object.assign() if the headers are passed too', () => {
    const request = new Request({ method: 'GET', headers: { Authorization: 'mine' }, query: { a: 'b' } });
    const copy = new Request(Object.assign({}, request, { headers: request.headers, method: 'POST' }));
    expect([copy.get('authorization'), copy.method, copy.query]).toEqual(['mine', 'POST', { a: 'b' }]);
  });
});

describe('Request.is()', () => {
  const typed = (contentType?: string, length: object = { 'content-length': '2' }) =>
    withHeaders({ ...length, ...(contentType === undefined ? {} : { 'content-type': contentType }) });

  it.each([
    ['application/json', ['application/json'], 'application/json'],
    ['application/json', ['json'], 'json'],
    ['application/json', [['html', 'json']], 'json'],
    ['application/json', ['html', 'text'], false],
    ['application/json; charset=utf-8', ['json'], 'json'],
    ['APPLICATION/JSON', ['json'], 'json'],
    ['application/x-www-form-urlencoded', ['urlencoded'], 'urlencoded'],
    ['application/vnd.api+json', ['+json'], 'application/vnd.api+json'],
    ['application/vnd.api+json', ['application/*+json'], 'application/vnd.api+json'],
    ['text/html', ['text/*'], 'text/html'],
    ['text/html', ['*/html'], 'text/html'],
    ['text/html', ['*/*'], 'text/html'],
    ['text/html', [], 'text/html'],
    ['text/html', ['application/*'], false],
    ['application/json', ['application/*+json'], false],
    ['text/html', ['application/*+json', '+json'], false],
    ['multipart/form-data; boundary=x', ['multipart'], 'multipart'],
    ['nonsense', ['nonsense'], false],
    [undefined, ['json'], false],
  ])('returns for the content type %j and the candidates %j: %j', (contentType, wanted, expected) => {
    expect(typed(contentType).is(...wanted)).toBe(expected);
  });

  it('returns false if the headers announce no body', () => {
    expect(typed('application/json', {}).is('json')).toBe(false);
    expect(typed('application/json', { 'content-length': 'x' }).is('json')).toBe(false);
    expect(typed('application/json', { 'transfer-encoding': 'chunked' }).is('json')).toBe('json');
    expect(typed('application/json', { 'content-length': '0' }).is('json')).toBe('json');
  });
});
