import { Injectable } from '@nestjs/common';
import { createRemoteJWKSet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { issuer } from '../addresses.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** The OpenID provider. The application knows only its issuer and discovers everything else. */
@Injectable()
export class Provider {
  private keys: JWTVerifyGetKey | undefined;
  private configuration: Promise<client.Configuration> | undefined;

  /** Returns the configuration of the provider, which is discovered once. */
  discover(): Promise<client.Configuration> {
    // Allow http only for local demos.
    const execute = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
    this.configuration ??= client
      .discovery(new URL(issuer), 'web', 'web-secret', undefined, { execute })
      .catch((error) => {
        this.configuration = undefined;
        throw error;
      });
    return this.configuration;
  }

  /**
   * Validates a logout token and returns the ID of the ended session, or `undefined` if the token is invalid.
   * Back-Channel Logout §2.6
   */
  async readLogoutToken(token: unknown): Promise<string | undefined> {
    const { jwks_uri: jwksUri } = (await this.discover()).serverMetadata();
    this.keys ??= createRemoteJWKSet(new URL(jwksUri!));
    try {
      const expected = { issuer, audience: 'web', typ: 'logout+jwt', maxTokenAge: 120 };
      const { payload } = await jwtVerify(String(token), this.keys, expected);
      const { events, nonce, sid } = payload as { events?: object; nonce?: unknown; sid?: string };
      return events && EVENT in events && nonce === undefined ? sid : undefined;
    } catch {
      return undefined;
    }
  }
}
