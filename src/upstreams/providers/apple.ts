import { createPrivateKey, sign } from 'node:crypto';

import { assertConfig, settingOf } from '../../../lib/internal.js';
import { openIdProvider } from './oidc.js';
import type { ProviderOptions, Setting, UpstreamProvider } from './provider.js';

/** The options of `apple()`. The client secret is signed with the private key. */
export interface AppleOptions extends Omit<ProviderOptions, 'clientSecret'> {
  /** The ID of the developer team. */
  teamId: string;
  /** The ID of the private key. */
  keyId: string;
  /** The private key in PEM format: the content of the file with the extension `.p8`. */
  privateKey: Setting<string>;
}

/** Lifetime of the signed client secret in seconds. Apple accepts up to six months. */
const SECRET_LIFETIME = 300;

const ISSUER = 'https://appleid.apple.com';

/** Returns the provider Apple. Apple sends the name of a user only once, with the first sign-in. */
export function apple({ teamId, keyId, privateKey, ...options }: AppleOptions): UpstreamProvider {
  const texts = { teamId, keyId };
  for (const [name, value] of Object.entries(texts)) {
    assertConfig(typeof value === 'string' && value !== '', `\`${name}\` of \`apple()\` must be a text`);
  }
  assertConfig(Boolean(privateKey), '`privateKey` of `apple()` must be a private key in PEM format');
  return openIdProvider(
    'apple',
    {
      label: 'Apple',
      scope: 'openid name email',
      ...options,
      issuer: ISSUER,
      clientSecret: '',
      clientAuthentication: 'client_secret_post',
      responseMode: 'form_post',
    },
    {
      brand: 'apple',
      secret(clientId, server) {
        const now = Math.floor(Date.now() / 1000);
        const claims = { iss: teamId, iat: now, exp: now + SECRET_LIFETIME, aud: ISSUER, sub: clientId };
        const text = [{ alg: 'ES256', kid: keyId }, claims]
          .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
          .join('.');
        const key = createPrivateKey(settingOf(privateKey, server));
        return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
      },
    },
  );
}
