import type { X509Certificate } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { RegisteredKeys } from '../../../lib/features/mutual-tls/registered-keys.js';

/** Returns a certificate of a key that this Node.js version may not support. */
const certificateOf = (jwk: object) =>
  ({ raw: Buffer.alloc(0), publicKey: { export: () => jwk } }) as unknown as X509Certificate;

describe('a self-signed certificate with an ML-DSA key', () => {
  it('authenticates a client only if the public key is the registered one', async () => {
    const keys = new RegisteredKeys();
    const own = { kty: 'AKP', alg: 'ML-DSA-44', pub: 'own' };
    const client = { id: 'app', grants: [], jwks: { keys: [own] } };
    expect(await keys.includes(certificateOf(own), client)).toBe(true);
    expect(await keys.includes(certificateOf({ ...own, pub: 'other' }), client)).toBe(false);
  });
});
