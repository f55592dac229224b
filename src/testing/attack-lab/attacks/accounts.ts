import { capability } from '../../../../lib/internal.js';
import type { AttackRuns } from '../attack.js';
import type { LabBrowser } from '../browser.js';
import { readForms } from '../forms.js';
import { Lab } from '../lab.js';
import type { LabUser } from '../options.js';
import { allOf, describeResponse, Inconclusive, judge, NotApplicable } from '../outcome.js';

/** The part of `accounts()` that sends e-mails. */
interface Accounts {
  readonly mailer: { send(mail: { template: string; link?: string }): unknown };
}

/** The part of `urlElicitation()` that sends users to a page. */
interface Elicitations {
  run(call: object, work: (elicited: { require(page: object): Promise<void> }) => Promise<unknown>): Promise<unknown>;
}

// The keys find the features without their modules.
const ACCOUNTS = capability<Accounts>('accounts', 'accounts');
const ELICITATIONS = capability<Elicitations>('URL elicitation', 'url-elicitation');

/** Milliseconds to wait for an e-mail, which the server sends in the background. */
const MAIL_PATIENCE = 10_000;

/** Attacks on accounts, the second factor, and pages to which a tool sends its user. OWASP ASVS 5.0 §6.4 */
export const ACCOUNT_ATTACKS: AttackRuns = {
  async 'reset-host'(lab) {
    const host = 'evil.attack-lab.example';
    const forged = { 'x-forwarded-host': host, forwarded: `host=${host}`, 'x-original-host': host };
    const link = await requestLink(lab, victimOf(lab), forged);
    return judge(link.page, `the link in the e-mail is ${link.url.split('?')[0]}`, !link.url.startsWith(link.origin));
  },
  async 'reset-other-account'(lab) {
    const { otherUser } = lab.parts.context.options;
    const victim = victimOf(lab);
    if (victim.password === otherUser!.password) throw new NotApplicable('both users have the same password');
    const { url } = await requestLink(lab, otherUser!);
    const account = { username: victim.username, email: victim.username, user_id: String((await user(lab))['id']) };
    const page = await choosePassword(lab, url, otherUser!.password, account);
    const stolen = await lab.parts.browsers.signIn({ ...victim, password: otherUser!.password }, lab.urlOf('login'));
    return judge(page, 'a link of one user changed the password of another one', stolen.page.status < 400);
  },
  async 'reset-twice'(lab) {
    const { otherUser } = lab.parts.context.options;
    const { url } = await requestLink(lab, otherUser!);
    const first = await choosePassword(lab, url, otherUser!.password);
    if (first.status >= 400) throw new Inconclusive(`the link was rejected: ${describeResponse(first)}`);
    return judge(await choosePassword(lab, url, otherUser!.password), 'a link was accepted twice');
  },
  async 'second-factor-skipped'(lab) {
    const { secondFactorUser } = lab.parts.context.options;
    const { browser, page } = await lab.parts.browsers.signIn(secondFactorUser!, lab.urlOf('login'));
    if (page.status >= 400) throw new Inconclusive(`the password was rejected: ${describeResponse(page)}`);
    const pages = ['account', 'applications'].flatMap((id) => lab.target.urlOf(id) ?? []);
    const requests = [
      ...pages.map((url) => async () => browser.open(url)),
      async () => (await lab.authorize(await lab.client('web'), {}, { browser, login: false })).page,
    ];
    return allOf(
      requests.map((open) => async () => {
        const response = await open();
        const hasCode = /[?&]code=/.test(response.headers.location ?? '');
        const isConsent = readForms(response.text).some(({ buttons }) =>
          buttons.some(({ name }) => name === 'decision'),
        );
        const isPage = Lab.isSignedIn(response) && pages.includes(response.sent.url);
        return judge(
          response,
          'the password was enough for a user with a second factor',
          hasCode || isConsent || isPage,
        );
      }),
    );
  },
  async 'elicitation-other-user'(lab) {
    const url = await elicit(lab);
    const { otherUser } = lab.parts.context.options;
    const { browser } = await lab.parts.browsers.signIn(otherUser!, lab.urlOf('login'));
    const page = await browser.open(url);
    const form = formOf(page.text);
    if (!form) return judge(page, '', false);
    return judge(await browser.submit(page, form), 'a page for one user was completed by another one');
  },
  async 'elicitation-twice'(lab) {
    const url = await elicit(lab);
    const browser: LabBrowser = await lab.victim();
    const page = await browser.open(url);
    const form = formOf(page.text);
    if (!form) throw new Inconclusive(`the page has no form: ${describeResponse(page)}`);
    const first = await browser.submit(page, form);
    if (first.status >= 400) throw new Inconclusive(`the form was rejected: ${describeResponse(first)}`);
    return judge(await browser.submit(page, form), 'a page was completed twice');
  },
};

const formOf = (html: string) => readForms(html).find(({ fields }) => 'elicitation' in fields);

const victimOf = ({ parts }: Lab) => parts.context.options.signIn as LabUser;

/** Returns the user of the lab, who is signed in afterwards. */
async function user(lab: Lab) {
  await lab.grant(await lab.client('web'));
  return lab.userOf();
}

/** Returns the URL of a page to which a tool of an MCP server sends the user. */
async function elicit(lab: Lab): Promise<string> {
  const { id } = await user(lab);
  const call = { digest: lab.random.next(), notice: 'input', isTool: true, action: undefined };
  const token = { user: { id }, client: { id: 'attack-lab' } };
  const running = { call, token, issuer: lab.target.issuer, signal: new AbortController().signal };
  const elicitations = lab.target.find(ELICITATIONS)!;
  const result = await elicitations.run(running, async (elicited) => elicited.require({ message: 'Attack lab' }));
  const { page } = (result as { inputRequests: { page: { params: { url: string } } } }).inputRequests;
  return page.params.url;
}

/** Requests a link to choose a password, and catches the e-mail, which is not sent. */
async function requestLink(lab: Lab, { username }: LabUser, headers: Record<string, string> = {}) {
  const { mailer } = lab.target.find(ACCOUNTS)!;
  const send = mailer.send.bind(mailer);
  const browser = await lab.parts.browsers.newBrowser();
  browser.cookies.clear();
  let timer: NodeJS.Timeout | undefined;
  const caught = new Promise<string | undefined>((resolve) => {
    // E-mails about earlier changes are dropped.
    mailer.send = ({ template, link }) => template === 'reset' && resolve(link);
    timer = setTimeout(resolve, MAIL_PATIENCE, undefined);
  });
  try {
    const page = await browser.open(lab.urlOf('forgot_password'));
    const form = readForms(page.text).find(({ fields }) => 'email' in fields);
    if (!form) throw new Inconclusive(`the page has no form for an address: ${describeResponse(page)}`);
    const target = new URL(form.action || page.sent.url, page.sent.url).href;
    const sent = await browser.open(target, { form: { ...form.fields, email: username }, headers });
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
  const browser = await lab.parts.browsers.newBrowser();
  browser.cookies.clear();
  const page = await browser.open(link);
  const form = readForms(page.text).find((one) => one.password !== undefined);
  if (!form) return page;
  return browser.submit(page, form, { [form.password!]: password, ...more });
}
