import type { AttackRuns } from '../attack.js';
import { EVIL_HOST, EVIL_ORIGIN } from '../browser.js';
import { describeResponse, resisted, succeeded } from '../outcome.js';
import type { LabResponse } from '../wire.js';

/** Headers in which proxies send the host that the browser has requested. */
export const FORGED_HOST = {
  'x-forwarded-host': EVIL_HOST,
  forwarded: `host=${EVIL_HOST}`,
  'x-original-host': EVIL_HOST,
};

/** Attacks that abuse the server as an open redirector, or that confuse a client about the server. RFC 9700 §4.4, §4.11 */
export const REDIRECTOR_ATTACKS: AttackRuns = {
  async 'open-redirect-unknown-client'(lab) {
    const query = { response_type: 'code', client_id: 'attack-lab-unknown', redirect_uri: `${EVIL_ORIGIN}/callback` };
    const response = await (await lab.victim()).open(lab.at('authorize', { ...query, state: 'x' }));
    return lab.judge(response, isEvil(response));
  },
  async 'open-redirect-login'(lab) {
    const targets = [
      `${EVIL_ORIGIN}/`,
      `//${EVIL_HOST}/`,
      String.raw`/\${EVIL_HOST}/`,
      `/%09/${EVIL_HOST}`,
      'javascript:alert(1)',
    ];
    for (const target of targets) {
      const url = `${lab.urlOf('login')}?return_to=${encodeURIComponent(target)}`;
      const { browser, page: next } = await lab.parts.browsers.signIn(lab.user, url);
      await lab.signOut(browser);
      const location = next.headers.location ?? '';
      const origin = URL.canParse(location, next.sent.url) ? new URL(location, next.sent.url).origin : location;
      if (next.status < 400 && location !== '' && origin !== lab.target.origin) {
        return succeeded(`the login with \`return_to=${target}\` continued at ${location}`, next);
      }
    }
    return resisted(`${targets.length} targets outside of the application were ignored`);
  },
  async 'open-redirect-logout'(lab) {
    const browser = await lab.newBrowser();
    const { id } = await lab.client('web');
    const uri = `${EVIL_ORIGIN}/`;
    const query = { post_logout_redirect_uri: uri, client_id: id, return_to: uri, state: 'x' };
    const pages = [
      await browser.open(lab.at('logout', query)),
      await browser.open(lab.urlOf('logout'), { method: 'POST', form: query }),
    ];
    const evil = pages.find((page) => isEvil(page) || String(page.headers['refresh'] ?? '').includes(EVIL_ORIGIN));
    return evil
      ? succeeded('signing out continued at an unregistered URI', evil)
      : resisted(pages.map(describeResponse).join('; '));
  },
  async 'logout-other-client'(lab) {
    const browser = await lab.newBrowser();
    const own = `${EVIL_ORIGIN}/signed-out`;
    await lab.newClient({ more: { postLogoutRedirectUris: [own] } }, 'logout');
    const { id } = await lab.client('web');
    const page = await browser.open(lab.at('logout', { post_logout_redirect_uri: own, client_id: id }));
    return lab.judge(page, isEvil(page));
  },
  async 'redirect-status'(lab) {
    const browser = await lab.newBrowser();
    const client = await lab.newClient().catch(() => lab.client('web'));
    const { page, left } = await lab.authorize(client, {}, { browser });
    return [307, 308].includes(page.status) && left
      ? succeeded(`the form was redirected to the client with status ${page.status}`, page)
      : resisted(describeResponse(page));
  },
  async 'mix-up'(lab) {
    const { params, page } = await lab.grant('web');
    return params.get('iss') === lab.target.issuer
      ? resisted(`the response contains iss=${params.get('iss')}`)
      : succeeded(`the authorization response has ${params.has('iss') ? 'another' : 'no'} \`iss\``, page);
  },
  async 'mix-up-error'(lab) {
    const { params, page } = await lab.authorize('web', { response_type: 'attack_lab' });
    if (!params.has('error')) return resisted(`no redirect: ${describeResponse(page)}`);
    return params.get('iss') === lab.target.issuer
      ? resisted(`the error contains iss=${params.get('iss')}`)
      : succeeded('the error response has no `iss`', page);
  },
  async 'state-lost'(lab) {
    const state = 'a b&code=evil#%2B"<>';
    const { params, page } = await lab.authorize('web', { state });
    const codes = params.getAll('code');
    return params.get('state') === state && codes.length === 1
      ? resisted('`state` was returned unchanged and added no parameter')
      : succeeded(
          `the response has ${codes.length} codes and a \`state\` that ${params.has('state') ? 'differs' : 'is missing'}`,
          page,
        );
  },
  async 'host-header'(lab) {
    const headers = { ...FORGED_HOST, 'x-forwarded-proto': 'https' };
    const { parameters } = lab.parametersOf(await lab.client('web'));
    const pages = (lab.options.pages ?? []).map((path) => lab.target.origin + path);
    const urls = [
      ...lab.urlsOf(['login', 'logout', 'applications']),
      ...['oauth-authorization-server', 'openid-configuration'].map((id) => `${lab.target.origin}/.well-known/${id}`),
      lab.at('authorize', parameters),
      ...pages,
    ];
    for (const url of urls) {
      const response = await lab.send(url, { headers });
      const shown = `${response.text} ${response.headers.location ?? ''} ${String(response.headers['set-cookie'] ?? '')}`;
      if (shown.includes(EVIL_HOST))
        return succeeded(`${new URL(url).pathname} contains the host that the attacker sent`, response);
    }
    return resisted(`${urls.length} pages and documents ignore the forwarded host`);
  },
};

/** Whether a response redirects the browser to the site of the attacker. */
const isEvil = ({ headers }: LabResponse) => headers.location?.startsWith(EVIL_ORIGIN) === true;
