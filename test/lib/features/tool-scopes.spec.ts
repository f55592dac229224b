import { describe, expect, it } from '@jest/globals';
import { toolScopes } from 'nest-oauth2/mcp';
import { InvalidArgumentError } from 'nest-oauth2/server';

const needed = toolScopes(
  { add_note: 'tools' },
  {
    resources: { 'notes://shared': 'shared', 'notes://private/*': 'private', 'file:///keys/*': 'keys' },
    prompts: { summarize: 'prompts' },
  },
);
const ALL = ['keys', 'private', 'prompts', 'shared', 'tools'];
const RESOURCES = ['keys', 'private', 'shared'];

const scopesOf = (method: string, params?: unknown) =>
  [...needed({ method: 'POST', body: { jsonrpc: '2.0', id: 1, method, params } })].toSorted();
const ofUri = (uri: unknown) => scopesOf('resources/read', { uri });
const ofTemplate = (uri: unknown) => scopesOf('completion/complete', { ref: { type: 'ref/resource', uri } });

describe('toolScopes() with resources and prompts', () => {
  it.each<[string, unknown, string[]]>([
    ['listed', 'notes://shared', ['shared']],
    ['below a listed prefix', 'notes://private/1', ['private']],
    ['longer than a listed URI without `*`', 'notes://shared/1', []],
    ['not listed', 'notes://public/1', []],
  ])('returns the scopes of a resource whose URI is %s', (_name, uri, wanted) => {
    expect(ofUri(uri)).toEqual(wanted);
    expect(scopesOf('resources/subscribe', { uri })).toEqual(wanted);
  });

  it.each([
    ['is missing', undefined],
    ['is no text', ['notes://shared']],
    ['is no URL', 'shared'],
    ['has a scheme in capitals', 'NOTES://private/1'],
    ['has dot segments', 'file:///public/../keys/1'],
    ['has encoded dot segments', 'notes://public/%2e%2e/private/1'],
    ['has an encoded slash', 'file:///public/..%2Fkeys/1'],
    ['has a backslash', String.raw`notes://public\..\private`],
    ['has a dot segment in an opaque path', 'notes:../private'],
    ['has a default port', 'https://api.example:443/keys'],
  ])('returns the scopes of all resources if the URI %s', (_name, uri) => {
    expect(ofUri(uri)).toEqual(RESOURCES);
  });

  it('returns the scopes of a prompt', () => {
    expect(scopesOf('prompts/get', { name: 'summarize' })).toEqual(['prompts']);
    expect(scopesOf('prompts/get', { name: 'greet' })).toEqual([]);
    expect(scopesOf('prompts/get', { name: 7 })).toEqual(['prompts']);
  });

  it('requires for a completion the scopes of what it completes', () => {
    expect(scopesOf('completion/complete', { ref: { type: 'ref/prompt', name: 'summarize' } })).toEqual(['prompts']);
    expect(ofTemplate('notes://private/{id}')).toEqual(['private']);
    expect(ofTemplate('notes://{folder}/{id}')).toEqual(['private', 'shared']);
    expect(ofTemplate('{+uri}')).toEqual(RESOURCES);
    expect(ofTemplate('notes://shared')).toEqual(['shared']);
    expect(ofTemplate(undefined)).toEqual(RESOURCES);
  });

  it('requires the scopes of all resources and prompts for a completion of another kind', () => {
    for (const params of [undefined, { ref: null }, { ref: { type: 'ref/other' } }]) {
      expect(scopesOf('completion/complete', params)).toEqual([...RESOURCES, 'prompts'].toSorted());
    }
  });

  it('requires no scope for lists, which contain no content', () => {
    for (const method of ['tools/list', 'resources/list', 'prompts/list']) expect(scopesOf(method)).toEqual([]);
  });

  it('requires the scopes of all tools, resources and prompts for a body that cannot be read', () => {
    expect(needed({ method: 'POST', body: 'text' }).toSorted()).toEqual(ALL);
  });

  it('requires no scope for a resource if it lists only tools', () => {
    const ofTools = toolScopes({ add_note: 'tools' });
    expect(ofTools({ body: { method: 'resources/read', params: {} } })).toEqual([]);
  });

  it('rejects an invalid scope of a resource or a prompt', () => {
    for (const options of [{ resources: { 'notes://a': 'two scopes' } }, { prompts: { a: '' } }]) {
      expect(() => toolScopes({}, options)).toThrow(InvalidArgumentError);
    }
  });
});
