import { describe, expect, it, jest } from '@jest/globals';
import { OAuth2Grants, OAuth2Server } from 'nest-oauth2';
import { capability, type Feature } from 'nest-oauth2/features';
import { MemoryStore } from 'nest-oauth2/stores/memory';

const ISSUER = 'https://id.example';

/** Makes a server with the module's state, as `OAuth2Module` provides it. */
function serverWith(state?: object) {
  const emitted: [string, object][] = [];
  const model = new MemoryStore({ clients: [], users: { findById: () => undefined } });
  const revoke = jest.spyOn(model, 'revokeGrantsOf').mockResolvedValue(1);
  const module: Feature = {
    id: 'OAuth2Module',
    install: (builder) => state && builder.provide(capability<object>('module state', 'OAuth2Module'), () => state),
  };
  const events = { emit: (name: string, payload: object) => emitted.push([name, payload]) > 0, listenerCount: () => 1 };
  const { context } = new OAuth2Server({ model, issuer: ISSUER, features: [module], events });
  return { grants: OAuth2Grants.of(context), revoke, emitted };
}

describe('OAuth2Grants.of()', () => {
  it('ends grants of the server, and emits grant.ended with its issuer', async () => {
    const { grants, revoke, emitted } = serverWith();
    expect(await grants.end({ userId: 'alice' })).toBe(1);
    expect(revoke).toHaveBeenCalledWith({ userId: 'alice' });
    expect(emitted).toEqual([
      ['grant.ended', expect.objectContaining({ issuer: ISSUER, userId: 'alice', reason: 'application' })],
    ]);
  });

  it('limits the server of a tenant to its issuer', async () => {
    const { grants, revoke } = serverWith({ tenant: 'acme' });
    await grants.end({ userId: 'alice' });
    expect(revoke).toHaveBeenCalledWith({ userId: 'alice', issuer: ISSUER });
    await expect(grants.end({ userId: 'alice', issuer: 'https://other.example' })).rejects.toThrow('another tenant');
  });

  it('requires an issuer from the server of a module with tenants', async () => {
    const { grants, revoke } = serverWith({ tenants: {} });
    await expect(grants.end({ userId: 'alice' })).rejects.toThrow('`issuer` is required');
    expect(revoke).not.toHaveBeenCalled();
  });
});
