import { type AttackRuns, attacksOf } from '../attack.js';
import { EVIL_ORIGIN } from '../browser.js';
import { assertionClaims, assertionForm, type ProofChanges } from '../credentials.js';
import { hmacJwt, LabKey, readJwt, seconds, unsignedJwt } from '../jwt.js';
import type { Lab } from '../lab.js';
import type { PostOptions } from '../lab-requests.js';
import { NotApplicable } from '../outcome.js';

type Change = (lab: Lab) => ProofChanges;

/** Changes that make a DPoP proof at the token endpoint invalid. RFC 9449 §4.3 */
const INVALID_PROOFS: Readonly<Record<string, Change>> = {
  method: () => ({ method: 'GET' }),
  url: () => ({ claims: { htu: `${EVIL_ORIGIN}/oauth/token` } }),
  old: () => ({ claims: { iat: seconds() - 86_400 } }),
  future: () => ({ claims: { iat: seconds() + 86_400 } }),
  type: () => ({ header: { typ: 'JWT' } }),
  'private-key': (lab) => ({ header: { jwk: lab.parts.dpopKey.privateJwk } }),
  'other-key': () => ({ header: { jwk: new LabKey('other').bareJwk } }),
};

/** Attacks on DPoP. RFC 9449 §11 */
export const DPOP_ATTACKS: AttackRuns = {
  ...attacksOf('dpop', INVALID_PROOFS, async (lab, change) => {
    await boundToken(lab);
    return redeem(lab, lab.proof(lab.urlOf('token'), change(lab)));
  }),
  async 'dpop-unsigned'(lab) {
    const { header, claims } = readJwt(lab.proof(lab.urlOf('token')))!;
    return redeem(lab, unsignedJwt(claims, header));
  },
  async 'dpop-hmac'(lab) {
    const { header, claims } = readJwt(lab.proof(lab.urlOf('token')))!;
    return redeem(lab, hmacJwt(claims, JSON.stringify(header['jwk']), header));
  },
  async 'dpop-replay'(lab) {
    const proof = lab.proof(lab.urlOf('token'));
    await boundToken(lab, proof);
    return redeem(lab, proof);
  },
  'dpop-stolen-token': (lab) => callBound(lab, () => ({ dpop: null, scheme: 'Bearer' })),
  'dpop-stolen-token-other-key': (lab) =>
    callBound(lab, (token, url, method) => ({ dpop: lab.proof(url, { method, token }, new LabKey('thief')) })),
  'dpop-other-token': (lab) =>
    callBound(lab, (_, url, method) => ({ dpop: lab.proof(url, { method, token: 'another-token' }) })),
  'dpop-replay-at-resource': (lab) => callBound(lab, () => ({}), true),
  async 'dpop-refresh-other-key'(lab) {
    const grant = await lab.grant('app');
    const tokens = lab.tokensOf(await lab.redeem(grant, {}, { dpop: lab.proof(lab.urlOf('token')) }));
    const stolen = lab.proof(lab.urlOf('token'), {}, new LabKey('thief'));
    return lab.refresh('app', lab.refreshTokenOf(tokens), {}, { dpop: stolen });
  },
};

/** Redeems a new code with a DPoP proof. */
const redeem = async (lab: Lab, dpop: string) => lab.redeem(await lab.grant('web'), {}, { dpop });

const boundToken = async (lab: Lab, dpop = lab.proof(lab.urlOf('token'))) =>
  lab.tokensOf(await redeem(lab, dpop)).access;

/** Calls the guarded route with the token of another client's key. */
async function callBound(
  lab: Lab,
  thief: (token: string, url: string, method: string) => PostOptions & { scheme?: string },
  isReplay = false,
) {
  const token = await boundToken(lab);
  const { method = 'GET' } = lab.target.guarded!;
  const url = lab.target.guardedUrl!;
  const dpop = lab.proof(url, { method, token });
  const { isAccepted: isBound } = await lab.callRoute(token, { dpop, scheme: 'DPoP' });
  const options = isReplay ? { dpop } : thief(token, url, method);
  // Without its binding, the token is a bearer token, which `dpop-stolen-token` finds.
  if (!isBound && options.scheme === undefined) throw new NotApplicable('the token is not bound to a key');
  return lab.callRoute(token, { scheme: 'DPoP', ...options });
}

/** Makes a client assertion that the server must reject. */
type Assertion = (key: LabKey, claims: Record<string, unknown>) => string;

/** Client assertions that the server must reject. RFC 7523 §3 */
const INVALID_ASSERTIONS: Readonly<Record<string, Assertion>> = {
  audience: (key, claims) => key.sign({ ...claims, aud: EVIL_ORIGIN }),
  expired: (key, claims) => key.sign({ ...claims, iat: seconds() - 7200, exp: seconds() - 3600 }),
  'without-expiry': (key, { exp, ...claims }) => key.sign(claims),
  'other-key': (key, claims) => new LabKey(key.kid).sign(claims),
  issuer: (key, claims) => key.sign({ ...claims, iss: 'attack-lab-other' }),
  unsigned: (_, claims) => unsignedJwt(claims),
  hmac: (key, claims) => hmacJwt(claims, JSON.stringify(key.jwk), { kid: key.kid }),
  'embedded-key': (_, claims) => {
    const own = new LabKey('own');
    return own.sign(claims, { jwk: own.bareJwk, kid: undefined });
  },
};

/** Attacks on client assertions. RFC 7523, RFC 9700 §4.15 */
export const ASSERTION_ATTACKS: AttackRuns = {
  ...attacksOf('assertion', INVALID_ASSERTIONS, async (lab, make) => {
    const { send, key, claims } = await assertingClient(lab);
    lab.tokensOf(await send(key.sign(claims())));
    return send(make(key, claims()));
  }),
  async 'assertion-replay'(lab) {
    const { send, key, claims } = await assertingClient(lab);
    const assertion = key.sign(claims());
    lab.tokensOf(await send(assertion));
    return send(assertion);
  },
};

/** Returns a client that authenticates with assertions, and how to send one. */
export async function assertingClient(lab: Lab) {
  const more = { tokenEndpointAuthMethod: 'private_key_jwt' };
  const { id, key } = await lab.newClient({ grants: ['client_credentials'], more });
  const form = await lab.machineForm();
  return {
    key,
    claims: () => assertionClaims(id, lab.audience, lab.random),
    send: (assertion: string) => lab.post('token', undefined, { ...form, ...assertionForm(assertion) }),
  };
}
