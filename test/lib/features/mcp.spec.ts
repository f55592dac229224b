import { describe, expect, it } from '@jest/globals';
import { mcp, toolScopes } from 'nest-oauth2/mcp';
import { InvalidArgumentError } from 'nest-oauth2/server';

const needed = toolScopes({ add_note: 'notes:write', share_note: ['notes:read', 'share'] });
const ALL = ['notes:write', 'notes:read', 'share'];

const call = (name: unknown, more = {}) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name }, ...more });

describe('mcp()', () => {
  it.each(['scopes', 'defaultScope'])('refuses `%s` that is a text, in its own words', (option) => {
    expect(() => mcp({ [option]: 'notes:read notes:write' })).toThrow(
      `Invalid argument: \`${option}\` of \`mcp()\` must be a list such as ['notes:read']`,
    );
  });
});

describe('toolScopes()', () => {
  it.each<[string, unknown, string[]]>([
    ['of a tool call', call('add_note'), ['notes:write']],
    ['of a tool call that needs several scopes', call('share_note'), ['notes:read', 'share']],
    [
      'of several tool calls, each scope once',
      [call('share_note'), call('add_note'), call('share_note')],
      ALL.toReversed(),
    ],
    ['of a tool that is not listed', call('list_notes'), []],
    ['of a tool named `__proto__`, which is not listed', call('__proto__'), []],
    ['of a message that is no tool call', { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }, []],
    ['of a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, []],
    ['of a response of the client', { jsonrpc: '2.0', id: 1, result: {} }, []],
    ['of an error of the client', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'no' } }, []],
    ['of an empty batch', [], []],
  ])('returns the scopes %s', (_name, body, wanted) => {
    expect(needed({ method: 'POST', body }).toSorted()).toEqual(wanted.toSorted());
  });

  it.each<[string, unknown]>([
    ['was not parsed', undefined],
    ['is null', null],
    ['is a string', JSON.stringify(call('list_notes'))],
    ['is a buffer', Buffer.from('{}')],
    ['is an empty object, which some parsers return for content that they cannot read', {}],
    ['calls a tool without a name', call(undefined)],
    ['names the tool by a list', call(['list_notes'])],
    ['has no parameters', { method: 'tools/call' }],
    ['has null as parameters', { method: 'tools/call', params: null }],
    ['has a method that is not a string', { method: ['tools/call'], params: { name: 'list_notes' } }],
    ['has a call in a nested batch', [[call('list_notes')]]],
  ])('returns the scopes of all tools if the body %s', (_name, body) => {
    expect(needed({ method: 'POST', body }).toSorted()).toEqual(ALL.toSorted());
  });

  it.each(['GET', 'DELETE', 'HEAD', 'OPTIONS'])('returns no scopes for the HTTP method %s', (method) => {
    expect(needed({ method })).toEqual([]);
  });

  it.each([[{ add_note: 'two scopes' }], [{ add_note: [''] }], [{ add_note: [undefined] as never }]])(
    'rejects an invalid scope immediately: %j',
    (scopes) => {
      expect(() => toolScopes(scopes)).toThrow(InvalidArgumentError);
    },
  );

  it('reads at most 100 messages of a batch, and requires the scopes of all tools for a longer one', () => {
    let read = 0;
    const counted = () => ({
      get method() {
        read += 1;
        return 'initialize';
      },
    });
    expect(needed({ method: 'POST', body: Array.from({ length: 100 }, counted) })).toEqual([]);
    expect(read).toBe(100);
    expect(needed({ method: 'POST', body: Array.from({ length: 101 }, counted) }).toSorted()).toEqual(ALL.toSorted());
    expect(read).toBe(100);
  });

  it('returns each scope once, even if many messages of a batch need it', () => {
    const body = Array.from({ length: 100 }, () => call('share_note'));
    expect(needed({ method: 'POST', body })).toEqual(['notes:read', 'share']);
  });
});
