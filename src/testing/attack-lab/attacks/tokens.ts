import { type AttackRuns, attacksOf } from '../attack.js';
import { hmacJwt, LabKey, readJwt, seconds, tamperedJwt, unsignedJwt } from '../jwt.js';
import type { Lab } from '../lab.js';
import { Inconclusive, NotApplicable, type Outcome, resisted, succeeded } from '../outcome.js';

type Claims = Record<string, unknown>;

/** Forged access tokens, made of the claims of an honest one. RFC 8725, RFC 9068 §5 */
const FORGERIES: Readonly<Record<string, (claims: Claims, header: Claims, lab: Lab) => string | Promise<string>>> = {
  unsigned: (claims, header) => unsignedJwt(claims, header),
  hmac: async (claims, header, lab) => hmacJwt(claims, await publicKeyOf(lab), header),
  'embedded-key': (claims, header) => {
    const key = new LabKey('own');
    return key.sign(claims, { ...header, alg: 'ES256', jwk: key.bareJwk, kid: undefined });
  },
  'key-url': async (claims, header, lab) =>
    new LabKey('own').sign(claims, { ...header, alg: 'ES256', jku: await lab.parts.receiver.url('/jwks') }),
  'key-id': (claims, header) => hmacJwt(claims, '', { ...header, kid: "../../../../../../dev/null' UNION SELECT 'x" }),
};

/** Attacks on access tokens that are JWTs, and on ID tokens. RFC 8725 */
export const TOKEN_ATTACKS: AttackRuns = {
  ...attacksOf('jwt', FORGERIES, async (lab, forge) => {
    const { access } = await lab.tokens('web');
    // Without JWTs of its own, the server must not accept any.
    const { header, claims } = readJwt(access) ?? readJwt(defaultToken(lab))!;
    return rejects(lab, await forge({ ...claims, sub: 'attack-lab', exp: seconds() + 3600 }, header, lab));
  }),
  async 'jwt-changed'(lab) {
    const { access } = await lab.tokens('web');
    if (!readJwt(access)) throw new NotApplicable('access tokens are not JWTs');
    return rejects(lab, tamperedJwt(access, { scope: 'attack-lab:admin', sub: 'attack-lab' }));
  },
  async 'jwt-id-token'(lab) {
    const { id } = await lab.tokens('web');
    if (id === undefined) throw new Inconclusive('the server issued no ID token');
    return rejects(lab, id);
  },
  async 'id-token-audience'(lab) {
    const { claims, response } = await idToken(lab);
    const audience = [claims['aud']].flat();
    const isOurs = audience.length === 1 && audience[0] === (await lab.client('web')).id;
    const isRight = claims['iss'] === lab.target.issuer && isOurs;
    return isRight
      ? resisted('`iss` and `aud` are exact')
      : succeeded('the ID token has another `iss` or `aud`', response);
  },
  async 'id-token-nonce'(lab) {
    const nonce = lab.random.next(20);
    const { id, response } = await lab.tokens('web', { nonce });
    const claims = readJwt(id ?? '')?.claims;
    return claims?.['nonce'] === nonce
      ? resisted('the `nonce` is that of the request')
      : succeeded('the ID token has another `nonce`', response);
  },
  async 'id-token-hint-unsigned'(lab) {
    const { claims } = await idToken(lab);
    return signsOut(lab, { id_token_hint: unsignedJwt(claims) });
  },
  'logout-by-link': (lab) => signsOut(lab, {}),
};

/** Returns the claims of an ID token of an honest client. @throws {Inconclusive} If the server issues none. */
async function idToken(lab: Lab) {
  const { id = '', response } = await lab.tokens('web');
  const claims = readJwt(id)?.claims;
  if (!claims) throw new Inconclusive('the server issued no readable ID token');
  return { claims, response };
}

/** Opens the logout page by a link on another site, and judges whether the user is still signed in. */
async function signsOut(lab: Lab, query: Record<string, string>): Promise<Outcome> {
  const browser = (await lab.signedIn()).copy();
  const response = await browser.open(lab.at('logout', query), { from: 'evil' });
  const after = await lab.authorize('web', { prompt: undefined }, { browser, login: false });
  return after.isAtLogin ? lab.judge(response, true) : resisted(`the user is still signed in: ${response.status}`);
}

/** The claims of an access token as RFC 9068 defines them. */
const defaultToken = (lab: Lab) => {
  const { issuer, scopes, resource } = lab.target;
  const claims = {
    iss: issuer,
    aud: resource ?? issuer,
    client_id: 'attack-lab',
    scope: scopes.join(' '),
    jti: lab.random.next(),
    iat: seconds(),
  };
  return `${unsignedJwt(claims, { typ: 'at+jwt' })}x`;
};

async function publicKeyOf(lab: Lab): Promise<string> {
  const url = lab.target.urlOf('jwks');
  const response = url === undefined ? undefined : await lab.send(url);
  const [key] = (response?.json['keys'] ?? []) as object[];
  return JSON.stringify(key ?? {});
}

async function rejects(lab: Lab, token: string): Promise<Outcome> {
  const before = lab.parts.receiver.connections;
  const response = await lab.callRoute(token, { dpop: null });
  if (lab.parts.receiver.connections > before)
    return succeeded('the server fetched a key from a URL in the token', response);
  return lab.judge(response);
}
