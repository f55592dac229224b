import { Injectable } from '@nestjs/common';
import type { User } from 'nest-oauth2';
import type { OpenIdModel } from 'nest-oauth2/openid';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { browser, web } from '../addresses.js';

const alice = {
  id: '1',
  username: 'alice',
  name: 'Alice Liddell',
  email: 'alice@wonderland.example',
};

/** The store, and what it may tell of users. */
@Injectable()
export class Model extends MemoryStore implements OpenIdModel {
  constructor() {
    super({
      clients: [
        {
          id: 'web',
          secret: 'web-secret',
          name: 'The tea party',
          grants: ['authorization_code', 'refresh_token'],
          redirectUris: [`${web}/callback`],
          // Where its users are sent who have signed out.
          postLogoutRedirectUris: [`${web}/`],
          // Where it is told that one of them has signed out elsewhere.
          backchannelLogoutUri: `${web}/signed-out`,
          scopes: ['openid', 'profile', 'email'],
        },
        {
          id: 'browser',
          name: 'The croquet ground',
          // Everybody can read its source, so it has no secret.
          tokenEndpointAuthMethod: 'none',
          grants: ['authorization_code'],
          redirectUris: [`${browser}/`],
          postLogoutRedirectUris: [`${browser}/`],
          scopes: ['openid', 'profile', 'email'],
        },
      ],
      users: {
        findById: (id) => (id === alice.id ? alice : undefined),
        // In a real system: a slow hash, compared in constant time, as in 04-redis.
        findByCredentials: (username, password) =>
          username === alice.username && password === 'wonderland' ? alice : undefined,
      },
    });
  }

  /** All that is known: what a client is told is what its scopes stand for, and what it asks for by name. */
  getClaims({ name, email, username }: User): object {
    return { name, preferred_username: username, email, email_verified: true };
  }
}
