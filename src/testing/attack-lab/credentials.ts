import type { LabClient } from './clients.js';
import { type LabKey, seconds, sha256 } from './jwt.js';
import type { Random } from './random.js';

/** The credentials of a client in a request. */
export interface Credentials {
  headers: Record<string, string>;
  form: Record<string, string>;
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Returns the `Authorization` header of a client with a secret. RFC 6749 §2.3.1 */
export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

/** Returns the parameters that contain a client assertion. RFC 7523 §2.2 */
export const assertionForm = (assertion: string): Record<string, string> => ({
  client_assertion_type: ASSERTION_TYPE,
  client_assertion: assertion,
});

/** Returns the claims of a client assertion. RFC 7523 §3 */
export const assertionClaims = (id: string, audience: string, random: Random): Record<string, unknown> => ({
  iss: id,
  sub: id,
  aud: audience,
  jti: random.next(),
  iat: seconds(),
  exp: seconds() + 60,
});

/** Returns the credentials with which a client authenticates. */
export function credentialsOf(client: LabClient, audience: string, random: Random): Credentials {
  const { id, secret = '', method, key } = client;
  if (method === 'client_secret_basic') return { headers: { authorization: basic(id, secret) }, form: {} };
  if (method === 'client_secret_post') return { headers: {}, form: { client_id: id, client_secret: secret } };
  if (method === 'none') return { headers: {}, form: { client_id: id } };
  return { headers: {}, form: assertionForm(key.sign(assertionClaims(id, audience, random))) };
}

/** Changes to a DPoP proof. */
export interface ProofChanges {
  method?: string;
  /** The access token to which the proof belongs. */
  token?: string;
  claims?: object;
  header?: object;
  nonce?: string | undefined;
}

/** Returns a DPoP proof for a request. RFC 9449 §4.2 */
export const dpopProof = (
  key: LabKey,
  url: string,
  random: Random,
  { method = 'POST', token, claims, header, nonce }: ProofChanges = {},
): string =>
  key.sign(
    {
      jti: random.next(),
      htm: method,
      htu: url.split(/[?#]/)[0],
      iat: seconds(),
      ...(token !== undefined && { ath: sha256(token) }),
      ...(nonce !== undefined && { nonce }),
      ...claims,
    },
    { kid: undefined, typ: 'dpop+jwt', jwk: key.bareJwk, ...header },
  );
