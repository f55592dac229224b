import type { AttackRuns } from '../attack.js';
import { EVIL_ORIGIN } from '../browser.js';
import { assertionClaims, assertionForm } from '../credentials.js';
import type { Lab } from '../lab.js';
import { describeResponse, Inconclusive, judge, NotApplicable, type Outcome, resisted, succeeded } from '../outcome.js';
import type { LabResponse } from '../wire.js';

/** Attacks by clients that register themselves, and by URLs that clients give. RFC 7591 §5, RFC 9700 §4.13 */
export const CLIENT_URL_ATTACKS: AttackRuns = {
  'ssrf-jwks-uri': (lab) =>
    fetchesNothing(lab, async (jwksUri) => {
      const more = { tokenEndpointAuthMethod: 'private_key_jwt', jwks: undefined, jwksUri };
      const { id, key } = await lab.newClient({ grants: ['client_credentials'], more });
      const assertion = key.sign(assertionClaims(id, lab.audience, lab.random));
      return [await lab.post('token', undefined, { ...(await lab.machineForm()), ...assertionForm(assertion) })];
    }),
  'ssrf-request-uri': (lab) =>
    fetchesNothing(lab, async (url) => {
      const { id, redirectUri } = await lab.newClient({ more: { requestUris: [url] } });
      const query = { client_id: id, request_uri: url, redirect_uri: redirectUri, scope: 'openid' };
      return [await (await lab.victim()).open(lab.at('authorize', { response_type: 'code', ...query }))];
    }),
  'ssrf-client-id': (lab) =>
    fetchesNothing(lab, async (url) => {
      const scope = lab.target.scopes.join(' ');
      const query = { response_type: 'code', redirect_uri: 'http://127.0.0.1/callback', scope };
      const ids = [url, url.replace('http:', 'https:')];
      return Promise.all(
        ids.map(async (client_id) => (await lab.victim()).open(lab.at('authorize', { ...query, client_id }))),
      );
    }),
  'ssrf-logo': (lab) =>
    fetchesNothing(lab, async (url) => {
      const client = await lab.newClient({ more: { logoUri: url } });
      return [(await lab.authorize(client, {}, { consent: 'stop' })).page];
    }),
  'ssrf-registration': (lab) =>
    fetchesNothing(
      lab,
      async (url) => {
        // Servers limit registrations, so each URL is sent only once.
        const urls = { jwks_uri: url, logo_uri: url, sector_identifier_uri: url, request_uris: [url] };
        return Promise.all(Object.entries(urls).map(async ([name, value]) => register(lab, { [name]: value })));
      },
      ['127.0.0.1'],
    ),
  'registration-script': (lab) =>
    lab.judgeAll(
      ['javascript:alert(1)', 'data:text/html,x', 'https://a.example/#fragment', 'vbscript:x'],
      async (uri) => {
        await registers(lab);
        return judge(await register(lab, { redirect_uris: [uri] }), `the redirect URI ${uri} was registered`);
      },
    ),
  async 'registration-scope'(lab) {
    await registers(lab);
    const response = await register(lab, { scope: 'attack-lab:admin' });
    const granted = String(response.json['scope'] ?? '').split(' ');
    return lab.judge(response, granted.includes('attack-lab:admin'));
  },
  async 'registration-grants'(lab) {
    await registers(lab);
    const response = await register(lab, {
      grant_types: ['authorization_code', 'password', 'client_credentials'],
      token_endpoint_auth_method: 'none',
    });
    const granted = (response.json['grant_types'] ?? []) as string[];
    return lab.judge(response, granted.includes('password') || granted.includes('client_credentials'));
  },
  async 'registration-overwrite'(lab) {
    await registers(lab);
    const { id } = await lab.client('web');
    const response = await register(lab, { client_id: id, client_secret: 'attack-lab' });
    return lab.judge(response, response.json['client_id'] === id);
  },
  async 'registration-other-client'(lab) {
    const [one, other] = [await registers(lab), await register(lab, {})];
    const url = String(other.json['registration_client_uri']);
    if (!url.startsWith('http')) throw new NotApplicable('the server has no client configuration endpoint');
    const token = String(one.json['registration_access_token']);
    return lab.send(url, { headers: { authorization: `Bearer ${token}` } });
  },
};

/** Registers a client with these metadata. It is removed at the end. */
export async function register(
  lab: Lab,
  metadata: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<LabResponse> {
  const body = { client_name: 'Attack lab', redirect_uris: [`${EVIL_ORIGIN}/callback`], ...metadata };
  const response = await lab.send(lab.urlOf('registration'), {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
  if (typeof response.json['client_id'] === 'string') lab.parts.clients.removeLater(response.json['client_id']);
  return response;
}

/** Returns the response to a valid registration. @throws {NotApplicable} If the server does not let this client register. */
async function registers(lab: Lab): Promise<LabResponse> {
  const response = await lab.share('registration', () => register(lab, {}));
  if (response.status < 400) return response;
  throw new NotApplicable(`the server does not let this client register now: ${describeResponse(response)}`);
}

/** The server must not connect to the loopback interface, whatever the host name is. */
async function fetchesNothing(
  lab: Lab,
  attack: (url: string) => Promise<LabResponse[]>,
  hosts: readonly string[] = ['127.0.0.1', 'localhost', '127.1', '[::ffff:127.0.0.1]'],
): Promise<Outcome> {
  const { receiver } = lab.parts;
  const evidence: string[] = [];
  for (const host of hosts) {
    const before = receiver.connections;
    const responses = await attack(await receiver.url('/attack-lab', host)).catch((error: Error) => {
      if (error instanceof NotApplicable || error instanceof Inconclusive) throw error;
      // The model rejects the client.
      evidence.push(error.message);
      return [];
    });
    if (receiver.connections > before) return succeeded(`the server connected to ${host}`, responses[0]);
    evidence.push(...responses.map(describeResponse));
  }
  return resisted(`no connection: ${[...new Set(evidence)].slice(0, 3).join('; ')}`);
}
