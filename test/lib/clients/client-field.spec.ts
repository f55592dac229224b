import { describe, expect, it } from '@jest/globals';

import { clientField } from 'nest-oauth2/features';

const isText = (value: unknown): value is string => typeof value === 'string';
const FIELD = clientField('tls_client_auth_san_dns', isText);

describe('a client field', () => {
  it('has a camel-case property name, derived from its snake-case metadata name', () => {
    expect(FIELD.name).toBe('tls_client_auth_san_dns');
    expect(FIELD.property).toBe('tlsClientAuthSanDns');
  });

  it.each([
    ['the value of the application', { tlsClientAuthSanDns: 'own' }, 'own'],
    ['the registered value', { metadata: { tls_client_auth_san_dns: 'registered' } }, 'registered'],
    [
      'the value of the application before the registered one',
      { tlsClientAuthSanDns: 'own', metadata: { tls_client_auth_san_dns: 'registered' } },
      'own',
    ],
    [
      'the registered value if the application set null',
      { tlsClientAuthSanDns: null, metadata: { tls_client_auth_san_dns: 'registered' } },
      'registered',
    ],
    ['an empty value of the application', { tlsClientAuthSanDns: '', metadata: { tls_client_auth_san_dns: 'x' } }, ''],
    ['undefined if the client registered null', { metadata: { tls_client_auth_san_dns: null } }, undefined],
    ['undefined if the metadata is null', { metadata: null }, undefined],
    ['undefined if the metadata is a string', { metadata: 'tls_client_auth_san_dns' }, undefined],
    ['undefined for a client without the field', {}, undefined],
    ['undefined for a property in snake case', { tls_client_auth_san_dns: 'own' }, undefined],
    ['undefined for metadata in camel case', { metadata: { tlsClientAuthSanDns: 'registered' } }, undefined],
  ])('reads %s', (_, client, value) => {
    expect(FIELD.of({ id: 'web', ...client })).toBe(value);
  });

  it('reads a property that is a getter of the client’s class', () => {
    class Row {
      readonly #name = 'own';
      id = 'web';

      get tlsClientAuthSanDns() {
        return this.#name;
      }
    }
    expect(FIELD.of(new Row())).toBe('own');
  });

  it('can be restricted to values that the server allows', () => {
    const server = { names: ['a.example'] };
    const restricted = FIELD.restrict((name, { names }: typeof server) => names.includes(name));

    expect(['a.example', 'b.example', 1].map((value) => restricted.isValid(value, server))).toEqual([
      true,
      false,
      false,
    ]);
    expect(FIELD.isValid('b.example', undefined)).toBe(true);
    expect(restricted.of({ id: 'web', tlsClientAuthSanDns: 'b.example' } as { id: string })).toBe('b.example');
  });

  it('can be restricted by several conditions, which must all hold', () => {
    const restricted = FIELD.restrict((name) => name.length > 1).restrict((name) => name.length < 3);

    expect(['a', 'ab', 'abc'].map((name) => restricted.isValid(name, undefined))).toEqual([false, true, false]);
  });
});
