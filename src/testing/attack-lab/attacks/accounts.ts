import type { Token } from '../../../../lib/index.js';
import { MAILER } from '../../../accounts/account-keys.js';
import { ELICITATIONS } from '../../../pages/elicitation/elicitations-key.js';
import type { InputRequiredResult } from '../../../pages/elicitation/results.js';
import type { AttackRuns } from '../attack.js';
import { formWith, isConsent, passwordForm, readForms } from '../forms.js';
import { Lab } from '../lab.js';
import type { LabUser } from '../options.js';
import { codeOf, describeResponse, Inconclusive, judge, NotApplicable } from '../outcome.js';
import { FORGED_HOST } from './open-redirectors.js';

/** Milliseconds to wait for an e-mail, which the server sends in the background. */
const MAIL_PATIENCE = 10_000;

/** Attacks on accounts, the second factor, and pages to which a tool sends its user. OWASP ASVS 5.0 §6.4 */
export const ACCOUNT_ATTACKS: AttackRuns = {
  async 'reset-host'(lab) {
    const { page, url, origin } = await requestLink(lab, lab.user, FORGED_HOST);
    return judge(page, `the link in the e-mail is ${url.split('?')[0]}`, !url.startsWith(origin));
  },
  async 'reset-other-account'(lab) {
    const { username, password } = lab.user;
    const { otherUser } = lab.options;
    if (password === otherUser!.password) throw new NotApplicable('both users have the same password');
    const { url } = await requestLink(lab, otherUser!);
    const account = { username, email: username, user_id: String((await lab.userOf())['id']) };
    const page = await choosePassword(lab, url, otherUser!.password, account);
    const stolen = await lab.signIn({ username, password: otherUser!.password });
    return lab.judge(page, stolen.page.status < 400);
  },
  async 'reset-twice'(lab) {
    const { otherUser } = lab.options;
    const { url } = await requestLink(lab, otherUser!);
    const first = await choosePassword(lab, url, otherUser!.password);
    if (first.status >= 400) throw new Inconclusive(`the link was rejected: ${describeResponse(first)}`);
    return choosePassword(lab, url, otherUser!.password);
  },
  async 'second-factor-skipped'(lab) {
    const { browser, page } = await lab.signIn(lab.options.secondFactorUser!);
    if (page.status >= 400) throw new Inconclusive(`the password was rejected: ${describeResponse(page)}`);
    const pages = lab.urlsOf(['account', 'applications']);
    const requests = [
      ...pages.map((url) => async () => browser.open(url)),
      async () => (await lab.authorize('web', {}, { browser, login: false })).page,
    ];
    return lab.judgeAll(requests, async (open) => {
      const response = await open();
      const isPage = Lab.isSignedIn(response) && pages.includes(response.sent.url);
      const isAuthorized = codeOf(response) !== undefined || readForms(response.text).some(isConsent);
      return lab.judge(response, isPage || isAuthorized);
    });
  },
  async 'elicitation-other-user'(lab) {
    const url = await elicit(lab);
    const { browser } = await lab.signIn(lab.options.otherUser!);
    const page = await browser.open(url);
    const form = formWith(page.text, 'elicitation');
    return form ? browser.submit(page, form) : lab.judge(page, false);
  },
  async 'elicitation-twice'(lab) {
    const url = await elicit(lab);
    const browser = await lab.victim();
    const page = await browser.open(url);
    const form = formWith(page.text, 'elicitation');
    if (!form) throw new Inconclusive(`the page has no form: ${describeResponse(page)}`);
    const first = await browser.submit(page, form);
    if (first.status >= 400) throw new Inconclusive(`the form was rejected: ${describeResponse(first)}`);
    return browser.submit(page, form);
  },
};

/** Returns the URL of a page to which a tool of an MCP server sends the user. */
async function elicit(lab: Lab): Promise<string> {
  const { id } = await lab.userOf();
  const running = {
    call: { digest: lab.random.next(), notice: 'input', isTool: true, action: undefined },
    token: { user: { id }, client: { id: 'attack-lab' } } as unknown as Token,
    issuer: lab.target.issuer!,
    signal: new AbortController().signal,
  } as const;
  const elicitations = lab.target.find(ELICITATIONS)!;
  const result = await elicitations.run(running, (elicited) => elicited.require({ message: 'Attack lab' }));
  return String((result as InputRequiredResult).inputRequests['page'].params.url);
}

/** Requests a link to choose a password, and catches the e-mail, which is not sent. */
async function requestLink(lab: Lab, { username }: LabUser, headers: Record<string, string> = {}) {
  const mailer = lab.target.find(MAILER)!;
  const send = mailer.send.bind(mailer);
  const browser = lab.anonymous();
  let timer: NodeJS.Timeout | undefined;
  const caught = new Promise<string | undefined>((resolve) => {
    // E-mails about earlier changes are dropped.
    mailer.send = ({ template, link }) => template === 'reset' && resolve(link);
    timer = setTimeout(resolve, MAIL_PATIENCE, undefined);
  });
  try {
    const page = await browser.open(lab.urlOf('forgot_password'));
    const form = formWith(page.text, 'email');
    if (!form) throw new Inconclusive(`the page has no form for an address: ${describeResponse(page)}`);
    const sent = await browser.submit(page, form, { email: username }, headers);
    if (sent.status >= 400) throw new NotApplicable(`no link was requested: ${describeResponse(sent)}`);
    const url = await caught;
    if (url === undefined) throw new NotApplicable('no e-mail was sent to the user, or too many were requested');
    return { url, page: sent, origin: `${lab.target.origin}/` };
  } finally {
    clearTimeout(timer);
    mailer.send = send;
  }
}

/** Chooses a password on the page of a link. */
async function choosePassword(lab: Lab, link: string, password: string, more: Record<string, string> = {}) {
  const browser = lab.anonymous();
  const page = await browser.open(link);
  const form = passwordForm(page.text);
  return form ? browser.submit(page, form, { [form.password]: password, ...more }) : page;
}
