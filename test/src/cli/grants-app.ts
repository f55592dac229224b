import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { personalAccessTokens } from 'nest-oauth2/features';
import { MemoryStore } from 'nest-oauth2/stores/memory';

const users = { findByCredentials: () => undefined, findById: (id: string) => ({ id }) };
const newStore = () => new MemoryStore({ clients: [{ id: 'web', grants: ['password'], scopes: ['read'] }], users });

export const ISSUER = 'https://id.example';
export const store = newStore();
export const tenantStore = newStore();

const imports = [
  OAuth2Module.forRoot({ model: store, issuer: ISSUER, features: [personalAccessTokens({ scopes: ['read'] })] }),
  OAuth2Module.forRoot({
    name: 'tenants',
    paths: { prefix: 'tenants' },
    model: tenantStore,
    tenants: {
      findTenant: () => undefined,
      createTenantOptions: (tenant) => ({ issuer: `https://${tenant}.example` }),
    },
  }),
  OAuth2Module.forRoot({
    name: 'own',
    paths: { prefix: 'own' },
    model: { getClient: () => undefined, getAccessToken: () => undefined, saveToken: () => undefined },
  }),
];

/** An application with a server, a server with tenants, and a server whose model cannot list grants. */
export class AppModule {}
Module({ imports })(AppModule);
