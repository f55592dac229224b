import type { AttackRuns } from '../attack.js';
import { passwordForm, readForms } from '../forms.js';
import type { Lab } from '../lab.js';
import {
  codeOf,
  describeResponse,
  Inconclusive,
  NotApplicable,
  type Outcome,
  resisted,
  succeeded,
} from '../outcome.js';
import type { LabResponse } from '../wire.js';

/** Attacks on the pages and forms of the server. RFC 9700 §4.7, §4.16 */
export const PAGE_ATTACKS: AttackRuns = {
  async 'csrf-consent'(lab) {
    const { page, form } = await lab.consentPage(await lab.newClient());
    const { csrf_token: csrfToken, ...fields } = form.fields;
    const browser = await lab.victim();
    const response = await browser.open(page.sent.url, { form: { ...fields, decision: 'allow' }, from: 'evil' });
    const same = await browser.open(page.sent.url, { form: { ...fields, decision: 'allow' } });
    return refusesDecision([response, same], 'the decision was accepted without a CSRF token');
  },
  async 'csrf-consent-other-request'(lab) {
    const { form } = await lab.consentPage(await lab.newClient({}, 'first'));
    const other = await lab.consentPage(await lab.newClient({}, 'other'));
    const browser = await lab.victim();
    const response = await browser.submit(other.page, { ...other.form, fields: form.fields }, { decision: 'allow' });
    return refusesDecision([response], 'the token of another request was accepted');
  },
  async 'consent-by-link'(lab) {
    const { page, form } = await lab.consentPage(await lab.newClient());
    const query = new URLSearchParams({ ...form.fields, decision: 'allow' });
    const response = await (await lab.victim()).open(`${page.sent.url}&${query.toString()}`, { from: 'evil' });
    return refusesDecision([response], 'a link was accepted as decision');
  },
  async 'consent-replay'(lab) {
    const { page, form } = await lab.consentPage(await lab.newClient({ more: { consent: 'always' } }));
    const browser = await lab.victim();
    const first = await browser.submit(page, form, { decision: 'allow' });
    if (!codeOf(first)) throw new Inconclusive(`the consent form led to no code: ${describeResponse(first)}`);
    const again = await browser.submit(page, form, { decision: 'allow' });
    return codeOf(again) && !(await isRemembered(lab, page))
      ? succeeded('the same consent form led to a second code', again)
      : resisted(describeResponse(again));
  },
  async 'csrf-login'(lab) {
    const page = await lab.anonymous().open(lab.urlOf('login'));
    const form = passwordForm(page.text);
    if (!form) throw new Inconclusive('the login page has no form with a password');
    const { username, password } = lab.user;
    const typed = { [form.text ?? 'username']: username, [form.password]: password };
    return lab.anonymous().open(lab.urlOf('login'), { form: typed, from: 'evil' });
  },
  async 'csrf-own-pages'(lab) {
    const browser = await lab.signedIn();
    let count = 0;
    for (const path of lab.options.pages!) {
      const page = await openOwn(lab, path);
      for (const form of readForms(page.text).filter(({ method }) => method === 'POST')) {
        count += 1;
        const fields = Object.fromEntries(Object.entries(form.fields).filter(([name]) => !form.hidden.includes(name)));
        const response = await browser.submit(page, { ...form, fields }, { attack_lab: '1' });
        if (response.status < 400)
          return succeeded(`the form of ${path} was accepted without its hidden fields`, response);
      }
    }
    if (count === 0) throw new NotApplicable('the listed pages have no form that is sent by POST');
    return resisted(`${count} forms were rejected`);
  },
  async 'csrf-applications'(lab) {
    const refresh = await lab.refreshToken();
    const { id } = await lab.client('web');
    const response = await (await lab.victim()).open(lab.urlOf('applications'), { form: { client_id: id } });
    const after = await lab.refresh('web', refresh);
    return after.status < 400
      ? resisted(`the application still has access: ${describeResponse(response)}`)
      : succeeded('the form was accepted without its CSRF token', response);
  },
  async clickjacking(lab) {
    const pages = await serverPages(lab);
    const open = pages.find((page) => !isUnframeable(page));
    return open
      ? succeeded(`${pathOf(open)} can be shown in a frame`, open)
      : resisted(`${pages.map(pathOf).join(', ')} cannot be shown in a frame`);
  },
  async 'clickjacking-own-pages'(lab) {
    await lab.signedIn();
    for (const path of lab.options.pages!) {
      const page = await openOwn(lab, path);
      if (!isUnframeable(page)) return succeeded(`${path} can be shown in a frame`, page);
    }
    return resisted('no page can be shown in a frame');
  },
  async 'page-cache'(lab) {
    const pages = await serverPages(lab);
    const stored = pages.find(({ headers }) => !/no-store/.test(headers['cache-control'] ?? ''));
    return stored
      ? succeeded(`${pathOf(stored)} may be stored by caches`, stored)
      : resisted('all pages have no-store');
  },
  async 'referrer-leak'(lab) {
    const pages = await serverPages(lab);
    const leaking = pages.find(
      ({ headers, text }) =>
        !/no-referrer|same-origin|strict-origin|(?<!-when-cross-)origin$/.test(
          String(headers['referrer-policy'] ?? ''),
        ) && !/<meta[^>]*name="referrer"/.test(text),
    );
    return leaking
      ? succeeded(`${pathOf(leaking)} has no referrer policy`, leaking)
      : resisted('all pages have a referrer policy');
  },
  async 'xss-parameters'(lab) {
    const script = `">${SCRIPT}`;
    const web = await lab.client('web');
    const requests: Record<string, string>[] = [
      { client_id: script },
      { client_id: web.id, redirect_uri: script },
      {
        client_id: web.id,
        redirect_uri: web.redirectUri,
        response_type: 'code',
        scope: script,
        login_hint: script,
        ui_locales: script,
        state: script,
      },
      {
        error: script,
        error_description: script,
        return_to: `/${script}`,
        login_hint: script,
        username: script,
        user_code: script,
      },
    ];
    const ids = ['authorize', 'login', 'logout', 'device', 'applications'].filter((id) => lab.target.has(id));
    const browser = await lab.newBrowser();
    for (const id of ids) {
      for (const request of requests) {
        const page = await browser.open(lab.at(id, request));
        if (runsScript(page)) return succeeded(`${pathOf(page)} contains the script`, page);
      }
    }
    return resisted(`${ids.length} pages escape the parameters`);
  },
  async 'xss-client-name'(lab) {
    const client = await lab.newClient({ more: { name: SCRIPT } });
    const { page } = await lab.authorize(client, {}, { consent: 'stop' });
    return runsScript(page)
      ? succeeded('the consent page contains the script', page)
      : resisted('the consent page escapes the name');
  },
};

const SCRIPT = '<script>attackLab()</script>';
const runsScript = (page: LabResponse) => isHtml(page) && page.text.includes('<script>attackLab()');

/** Whether the server issues codes for this request without a form, since it has stored the consent. */
async function isRemembered(lab: Lab, { sent }: LabResponse): Promise<boolean> {
  return codeOf(await (await lab.victim()).open(sent.url)) !== undefined;
}

function refusesDecision(responses: readonly LabResponse[], how: string): Outcome {
  const accepted = responses.find(codeOf);
  return accepted ? succeeded(how, accepted) : resisted(responses.map(describeResponse).join('; '));
}

/** Returns the login page and the consent page of the server. */
async function serverPages(lab: Lab): Promise<LabResponse[]> {
  const client = await lab.newClient().catch(() => lab.client('web'));
  const browser = await lab.newBrowser();
  const { page: login, isAtLogin } = await lab.authorize(client, {}, { browser, login: false });
  const { page: consent } = await lab.authorize(client, {}, { consent: 'stop' });
  const found = [...(isAtLogin ? [login] : []), consent].filter(isHtml);
  if (found.length === 0) throw new NotApplicable('the server shows no login or consent page as HTML');
  return found;
}

const isHtml = ({ headers, status }: LabResponse) => /html/.test(headers['content-type'] ?? '') && status !== 302;
const pathOf = ({ sent }: LabResponse) => new URL(sent.url).pathname;

const isUnframeable = ({ headers }: LabResponse) =>
  /frame-ancestors\s+'(?:none|self)'/.test(String(headers['content-security-policy'] ?? '')) ||
  /^(?:deny|sameorigin)$/i.test(String(headers['x-frame-options'] ?? ''));

async function openOwn(lab: Lab, path: string): Promise<LabResponse> {
  const page = await (await lab.victim()).open(path);
  if (page.status !== 200) throw new Inconclusive(`the page ${path} was not shown: ${describeResponse(page)}`);
  return page;
}
