import { generateKeyPairSync } from 'node:crypto';

function hasMlDsa(): boolean {
  try {
    return Boolean(generateKeyPairSync('ml-dsa-44' as 'ed25519'));
  } catch {
    return false;
  }
}

/** The post-quantum signature algorithms. RFC 9964 */
export const ML_DSA = ['ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'];

/** Whether this version of Node.js supports ML-DSA. */
export const WITH_ML_DSA = hasMlDsa();

/** The signature algorithms that a server publishes in its metadata when it runs on this version of Node.js. */
export const SIGNING_ALGORITHMS = 'ES256 PS256 RS256 Ed25519 EdDSA ES384 PS384 RS384 ES512 PS512 RS512'
  .split(' ')
  .concat(WITH_ML_DSA ? ML_DSA : []);
