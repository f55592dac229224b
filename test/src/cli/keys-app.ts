import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { keys, requestObjects } from 'nest-oauth2/jose';
import { MemoryStore } from 'nest-oauth2/stores/memory';

const users = { findByCredentials: () => undefined, findById: () => undefined };
const newStore = () => new MemoryStore({ clients: [], users });
const stored = { secret: 'a secret of thirty-two characters', algorithms: ['ES256', 'EdDSA'] as const };
const pem = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINlR9v9XWr5R1rCWBjk0lOB6bAqgRmvK1pFzcm0fk7zW
-----END PRIVATE KEY-----`;

const imports = [
  OAuth2Module.forRoot({ model: newStore(), features: [keys(stored)] }),
  OAuth2Module.forRoot({
    name: 'given',
    paths: { prefix: 'given' },
    model: newStore(),
    features: [keys({ from: [pem] })],
  }),
  OAuth2Module.forRoot({
    name: 'reading',
    paths: { prefix: 'reading' },
    model: newStore(),
    issuer: 'https://reading.example.com',
    features: [keys(stored), requestObjects({ encrypted: true })],
  }),
  OAuth2Module.forRoot({ name: 'none', paths: { prefix: 'none' }, model: newStore() }),
  OAuth2Module.forRoot({
    name: 'tenants',
    paths: { prefix: 'tenants' },
    model: newStore(),
    features: [keys(stored)],
    tenants: {
      findTenant: () => undefined,
      createTenantOptions: (tenant) => (tenant === 'acme' ? { issuer: 'https://acme.example.com' } : undefined),
    },
  }),
];

/** An application whose servers store their keys in each of the supported ways. */
export class AppModule {}
Module({ imports })(AppModule);

export const store = newStore();
