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

/** The store, extended with the OpenID Connect claims of users. */
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
          // Users return to this URL after signing out at the provider.
          postLogoutRedirectUris: [`${web}/`],
          // The provider sends a logout token to this URL when a user signs out elsewhere.
          backchannelLogoutUri: `${web}/signed-out`,
          scopes: ['openid', 'profile', 'email'],
        },
        {
          id: 'browser',
          name: 'The croquet ground',
          // A public client: its source is readable in the browser, so it has no secret.
          tokenEndpointAuthMethod: 'none',
          grants: ['authorization_code'],
          redirectUris: [`${browser}/`],
          postLogoutRedirectUris: [`${browser}/`],
          scopes: ['openid', 'profile', 'email'],
        },
      ],
      users: {
        findById: (id) => (id === alice.id ? alice : undefined),
        // In production, hash passwords slowly and compare the hashes in constant time, as in 04-redis.
        findByCredentials: (username, password) =>
          username === alice.username && password === 'wonderland' ? alice : undefined,
      },
    });
  }

  /** Returns all claims of a user. The library returns to each client only the claims of its scopes and requests. */
  getClaims({ name, email, username }: User): object {
    return { name, preferred_username: username, email, email_verified: true };
  }
}
