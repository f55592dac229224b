import { describe, expect, it } from '@jest/globals';
import { toolScopes } from 'nest-oauth2/mcp';
import { InvalidArgumentError } from 'nest-oauth2/server';

const needed = toolScopes({ add_note: 'notes:write', share_note: ['notes:read', 'share'] });
const ALL = ['notes:write', 'notes:read', 'share'];

const call = (name: unknown, more = {}) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name }, ...more });

// Issue 13
describe('the scopes of tools', () => {
  it.each<[string, unknown, string[]]>([
    ['of a call', call('add_note'), ['notes:write']],
    ['of a call that needs several', call('share_note'), ['notes:read', 'share']],
    [
      'of several calls at once, each said once',
      [call('share_note'), call('add_note'), call('share_note')],
      ALL.toReversed(),
    ],
    ['of a tool that is not listed', call('list_notes'), []],
    ['of a tool that is called like what every object has', call('__proto__'), []],
    ['of another message', { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }, []],
    ['of a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, []],
    ['of an answer of the client', { jsonrpc: '2.0', id: 1, result: {} }, []],
    ['of an error of the client', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'no' } }, []],
    ['of nothing at all', [], []],
  ])('are those %s', (_name, body, wanted) => {
    expect(needed({ method: 'POST', body }).toSorted()).toEqual(wanted.toSorted());
  });

  it.each<[string, unknown]>([
    ['was not parsed', undefined],
    ['is null', null],
    ['is text', JSON.stringify(call('list_notes'))],
    ['is bytes', Buffer.from('{}')],
    ['is an empty object, as some parsers leave behind what they cannot read', {}],
    ['calls a tool without a name', call(undefined)],
    ['calls a tool by a list', call(['list_notes'])],
    ['has no parameters', { method: 'tools/call' }],
    ['has parameters that are none', { method: 'tools/call', params: null }],
    ['has a method that is none', { method: ['tools/call'], params: { name: 'list_notes' } }],
    ['has a call in a list in a list', [[call('list_notes')]]],
  ])('are those of all tools, where the body %s', (_name, body) => {
    expect(needed({ method: 'POST', body }).toSorted()).toEqual(ALL.toSorted());
  });

  it.each(['GET', 'DELETE', 'HEAD', 'OPTIONS'])('are none of a %s, which brings no message', (method) => {
    expect(needed({ method })).toEqual([]);
  });

  it.each([[{ add_note: 'two scopes' }], [{ add_note: [''] }], [{ add_note: [undefined] as never }]])(
    'are refused at once where one is none: %j',
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

  it('returns each scope once, however many messages of a batch need it', () => {
    const body = Array.from({ length: 100 }, () => call('share_note'));
    expect(needed({ method: 'POST', body })).toEqual(['notes:read', 'share']);
  });
});
