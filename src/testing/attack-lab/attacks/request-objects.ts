import { type AttackRuns, attacksOf } from '../attack.js';
import type { LabClient } from '../clients.js';
import { LabKey, seconds, unsignedJwt } from '../jwt.js';
import type { Lab } from '../lab.js';
import { describeResponse, Inconclusive, judge, type Outcome, resisted, succeeded } from '../outcome.js';

type Claims = Record<string, unknown>;

/** Request objects that the server must reject. RFC 9101 §4, §10 */
const INVALID: Readonly<Record<string, (client: LabClient, claims: Claims, other: LabClient) => string>> = {
  unsigned: (_, claims) => unsignedJwt(claims, TYPE),
  'other-key': ({ id }, claims) => new LabKey(id).sign(claims, TYPE),
  audience: ({ key }, claims) => key.sign({ ...claims, aud: 'https://evil.attack-lab.example' }, TYPE),
  expired: ({ key }, claims) => key.sign({ ...claims, nbf: seconds() - 7200, exp: seconds() - 3600 }, TYPE),
  'other-client': (_, claims, other) => other.key.sign({ ...claims, iss: other.id }, TYPE),
  'redirect-uri': ({ key }, claims) =>
    key.sign({ ...claims, redirect_uri: 'https://evil.attack-lab.example/callback' }, TYPE),
};

const TYPE = { typ: 'oauth-authz-req+jwt' };

/** Attacks on request objects and pushed authorization requests. RFC 9101, RFC 9126 */
export const REQUEST_ATTACKS: AttackRuns = {
  ...attacksOf('request-object', INVALID, async (lab, make) => {
    const client = await lab.newClient({});
    const { parameters } = lab.parametersOf(client);
    const valid = await open(lab, client, client.key.sign(lab.requestClaims(client, parameters), TYPE));
    if (!valid.code) throw new Inconclusive(`a valid request object was rejected: ${describeResponse(valid.page)}`);
    const object = make(client, lab.requestClaims(client, parameters), await lab.newClient({}, 'other'));
    const { code, page } = await open(lab, client, object);
    return code === undefined ? judge(page, '', false) : succeeded('an invalid request object was accepted', page);
  }),
  async 'pushed-request-other-client'(lab) {
    const { request_uri } = await push(lab, await lab.client('web'));
    const evil = await lab.client('evil');
    return refuses(lab, { client_id: evil.id, request_uri }, 'a client opened the pushed request of another client');
  },
  async 'pushed-request-replay'(lab) {
    const web = await lab.client('web');
    const { request_uri } = await push(lab, web);
    const url = lab.at('authorize', { client_id: web.id, request_uri });
    const browser = await lab.victim();
    const first = await lab.parts.browsers.follow(browser, await browser.open(url));
    if (!first.left) throw new Inconclusive(`a pushed request was not opened: ${describeResponse(first.page)}`);
    return refuses(lab, { client_id: web.id, request_uri }, 'a pushed request led to two codes');
  },
  async 'pushed-request-expired'(lab) {
    const web = await lab.client('web');
    const { request_uri } = await push(lab, web);
    // The user signs in again, because the session has expired by then, too.
    const browser = await lab.parts.browsers.newBrowser();
    const outcome = await lab.later(86_400, () =>
      refuses(lab, { client_id: web.id, request_uri }, 'a pushed request of yesterday was opened', browser),
    );
    return outcome;
  },
  async 'pushed-request-nested'(lab) {
    const web = await lab.client('web');
    const { request_uri } = await push(lab, web);
    const response = await lab.post('pushed_authorization_request', web, { client_id: web.id, request_uri });
    return judge(response, 'a request that refers to another request was accepted');
  },
  async 'pushed-request-changed'(lab) {
    const web = await lab.client('web');
    const { request_uri } = await push(lab, web);
    const changes = { redirect_uri: 'https://evil.attack-lab.example/callback', scope: 'attack-lab:admin' };
    const browser = await lab.victim();
    const url = lab.at('authorize', { client_id: web.id, request_uri, ...changes });
    const { left, page } = await lab.parts.browsers.follow(browser, await browser.open(url));
    return left?.hostname === 'evil.attack-lab.example'
      ? succeeded('a parameter in the URL replaced that of the pushed request', page)
      : resisted(describeResponse(page));
  },
};

async function open(lab: Lab, client: LabClient, request: string) {
  const isPushed = lab.target.metadata['require_pushed_authorization_requests'] === true;
  const query: Record<string, string> = { client_id: client.id, request, response_type: 'code', scope: 'openid' };
  if (isPushed) {
    const pushed = await lab.post('pushed_authorization_request', client, { client_id: client.id, request });
    if (pushed.status >= 400) return { code: undefined, page: pushed };
    return visit(lab, { client_id: client.id, request_uri: String(pushed.json['request_uri']) });
  }
  return visit(lab, query);
}

async function visit(lab: Lab, query: Readonly<Record<string, string>>, browser?: Awaited<ReturnType<Lab['victim']>>) {
  const used = browser ?? (await lab.victim());
  const { left, page } = await lab.parts.browsers.follow(used, await used.open(lab.at('authorize', query)));
  return { code: left?.searchParams.get('code') ?? undefined, page };
}

/** Pushes a valid authorization request. RFC 9126 §2.1 */
export async function push(lab: Lab, client: LabClient) {
  const { parameters } = lab.parametersOf(client, { prompt: undefined });
  const signed = lab.target.metadata['require_signed_request_object'] === true;
  const form = signed
    ? { client_id: client.id, request: client.key.sign(lab.requestClaims(client, parameters), TYPE) }
    : parameters;
  const response = await lab.post('pushed_authorization_request', client, form);
  if (response.status >= 400) throw new Inconclusive(`a request was not pushed: ${describeResponse(response)}`);
  return { request_uri: String(response.json['request_uri']) };
}

async function refuses(
  lab: Lab,
  query: Readonly<Record<string, string>>,
  how: string,
  browser?: Awaited<ReturnType<Lab['victim']>>,
): Promise<Outcome> {
  const { code, page } = await visit(lab, query, browser);
  return code === undefined ? judge(page, how, false) : succeeded(how, page);
}
