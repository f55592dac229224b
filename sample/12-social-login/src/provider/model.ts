import { Injectable } from '@nestjs/common';
import type { User } from 'nest-oauth2';
import type { OpenIdModel } from 'nest-oauth2/openid';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { issuer, provider } from '../addresses.js';

const alice = { id: '108', username: 'alice', name: 'Alice Liddell', email: 'alice@everybody.example' };

@Injectable()
export class Model extends MemoryStore implements OpenIdModel {
  constructor() {
    super({
      clients: [
        {
          id: provider.clientId,
          secret: provider.clientSecret,
          name: 'Notes',
          grants: ['authorization_code'],
          redirectUris: [`${issuer}/oauth/upstreams/everybody/callback`],
          scopes: ['openid', 'profile', 'email'],
        },
      ],
      users: {
        findById: (id) => (id === alice.id ? alice : undefined),
        findByCredentials: (username, password) =>
          username === alice.username && password === 'wonderland' ? alice : undefined,
      },
    });
  }

  getClaims({ name, email }: User): object {
    return { name, email, email_verified: true };
  }
}
