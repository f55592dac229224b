import { type AttackRuns, attacksOf } from '../attack.js';
import { EVIL_HOST, EVIL_ORIGIN, type LabBrowser } from '../browser.js';
import type { LabClient } from '../clients.js';
import { LabKey, seconds, unsignedJwt } from '../jwt.js';
import { type Lab, REQUEST_OBJECT } from '../lab.js';
import { describeResponse, Inconclusive } from '../outcome.js';

type Claims = Record<string, unknown>;

/** Request objects that the server must reject. RFC 9101 §4, §10 */
const INVALID: Readonly<Record<string, (client: LabClient, claims: Claims, other: LabClient) => string>> = {
  unsigned: (_, claims) => unsignedJwt(claims, REQUEST_OBJECT),
  'other-key': ({ id }, claims) => new LabKey(id).sign(claims, REQUEST_OBJECT),
  audience: ({ key }, claims) => key.sign({ ...claims, aud: EVIL_ORIGIN }, REQUEST_OBJECT),
  expired: ({ key }, claims) => key.sign({ ...claims, nbf: seconds() - 7200, exp: seconds() - 3600 }, REQUEST_OBJECT),
  'other-client': (_, claims, other) => other.key.sign({ ...claims, iss: other.id }, REQUEST_OBJECT),
  'redirect-uri': ({ key }, claims) => key.sign({ ...claims, redirect_uri: `${EVIL_ORIGIN}/callback` }, REQUEST_OBJECT),
};

/** Attacks on request objects and pushed authorization requests. RFC 9101, RFC 9126 */
export const REQUEST_ATTACKS: AttackRuns = {
  ...attacksOf('request-object', INVALID, async (lab, make) => {
    const client = await lab.newClient();
    const { parameters } = lab.parametersOf(client);
    const claims = () => lab.requestClaims(client, parameters);
    const valid = await open(lab, client, client.key.sign(claims(), REQUEST_OBJECT));
    if (!valid.code) throw new Inconclusive(`a valid request object was rejected: ${describeResponse(valid.page)}`);
    const object = make(client, claims(), await lab.newClient({}, 'other'));
    const { code, page } = await open(lab, client, object);
    return lab.judge(page, code !== undefined);
  }),
  async 'pushed-request-other-client'(lab) {
    const { request_uri } = await push(lab);
    const { id } = await lab.client('evil');
    return refuses(lab, { client_id: id, request_uri });
  },
  async 'pushed-request-replay'(lab) {
    const query = await push(lab);
    const first = await lab.visit(lab.at('authorize', query));
    if (!first.left) throw new Inconclusive(`a pushed request was not opened: ${describeResponse(first.page)}`);
    return refuses(lab, query);
  },
  async 'pushed-request-expired'(lab) {
    const query = await push(lab);
    // The user signs in again, because the session has expired by then, too.
    const browser = await lab.newBrowser();
    return lab.later(86_400, () => refuses(lab, query, browser));
  },
  'pushed-request-nested': async (lab) => lab.post('pushed_authorization_request', 'web', await push(lab)),
  async 'pushed-request-changed'(lab) {
    const changes = { redirect_uri: `${EVIL_ORIGIN}/callback`, scope: 'attack-lab:admin' };
    const { left, page } = await lab.visit(lab.at('authorize', { ...(await push(lab)), ...changes }));
    return lab.judge(page, left?.hostname === EVIL_HOST);
  },
};

async function open(lab: Lab, client: LabClient, request: string) {
  const query = { client_id: client.id, request };
  if (lab.target.metadata['require_pushed_authorization_requests'] !== true)
    return visit(lab, { ...query, response_type: 'code', scope: 'openid' });
  const pushed = await lab.post('pushed_authorization_request', client, query);
  if (pushed.status >= 400) return { code: undefined, page: pushed };
  return visit(lab, { client_id: client.id, request_uri: String(pushed.json['request_uri']) });
}

async function visit(lab: Lab, query: Readonly<Record<string, string>>, browser?: LabBrowser) {
  const { left, page } = await lab.visit(lab.at('authorize', query), browser);
  return { code: left?.searchParams.get('code') ?? undefined, page };
}

/** Pushes a valid authorization request, and returns the request that refers to it. RFC 9126 §2.1, §4 */
export async function push(lab: Lab) {
  const client = await lab.client('web');
  const { parameters } = lab.parametersOf(client, { prompt: undefined });
  const response = await lab.post('pushed_authorization_request', client, lab.signed(client, parameters));
  if (response.status >= 400) throw new Inconclusive(`a request was not pushed: ${describeResponse(response)}`);
  return { client_id: client.id, request_uri: String(response.json['request_uri']) };
}

async function refuses(lab: Lab, query: Readonly<Record<string, string>>, browser?: LabBrowser) {
  const { code, page } = await visit(lab, query, browser);
  return lab.judge(page, code !== undefined);
}
