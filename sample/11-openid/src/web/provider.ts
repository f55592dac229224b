import { Injectable } from '@nestjs/common';
import { createRemoteJWKSet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { issuer } from '../addresses.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** All that is known of the provider is its issuer: the rest it says itself. */
@Injectable()
export class Provider {
  private keys: JWTVerifyGetKey | undefined;
  private found: Promise<client.Configuration> | undefined;

  find(): Promise<client.Configuration> {
    // http is for demonstrations on one machine.
    const execute = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
    this.found ??= client.discovery(new URL(issuer), 'web', 'web-secret', undefined, { execute }).catch((error) => {
      this.found = undefined;
      throw error;
    });
    return this.found;
  }

  /** The session that has ended; undefined: it is no logout token of the provider, for this client. Back-Channel Logout §2.6 */
  async readLogoutToken(token: unknown): Promise<string | undefined> {
    const { jwks_uri: place } = (await this.find()).serverMetadata();
    this.keys ??= createRemoteJWKSet(new URL(place!));
    try {
      const wanted = { issuer, audience: 'web', typ: 'logout+jwt', maxTokenAge: 120 };
      const { payload } = await jwtVerify(String(token), this.keys, wanted);
      const { events, nonce, sid } = payload as { events?: object; nonce?: unknown; sid?: string };
      return events && EVENT in events && nonce === undefined ? sid : undefined;
    } catch {
      return undefined;
    }
  }
}
