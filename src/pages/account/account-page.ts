import { hidden, problemOf } from '../default/fields.js';
import type { OwnPageContext, Page } from '../render/contexts.js';
import { Html, html } from '../render/html.js';
import type { ENGLISH } from '../render/messages.js';
import { preferencesOf } from '../site.js';
import type { PageRedirect } from '../toolkit/answers.js';
import { definePage } from '../toolkit/define-page.js';
import type { PageCall } from '../toolkit/page-call.js';
import { ACCOUNT_SECTIONS, type AccountSection, orderSections, type SectionForm } from './section.js';

/** A form that the browser has sent. */
interface SentForm {
  readonly section: AccountSection;
  readonly name: string;
  readonly form: SectionForm;
}

/** A section as the page shows it. */
interface ShownSection {
  readonly id: string;
  readonly script?: string | undefined;
  readonly main: Html;
}

interface AccountData {
  readonly user: string;
  readonly signOut: string | undefined;
  readonly sections: readonly ShownSection[];
}

/** The page of the signed-in user, with the sections of all features. It works without scripts. */
export const accountPage = definePage<AccountData, never, SentForm | undefined>({
  path: 'oauth/account',
  signedIn: true,
  throttle: { account: { requests: 60, per: 600 } },
  subject: (call) => (call.request.method === 'POST' ? (findForm(call) ?? call.redirect()) : undefined),
  binding: (sent, call) => bindingOf(sent?.section, call),
  get: (call, sent) => shown(call, sent),
  async post(call, sent) {
    const { section, name, form } = sent!;
    if (!(await isFresh(section, call))) return signInAgain(call);
    // A section that is not shown to this user accepts no forms.
    if (!(await section.get(call))) return call.redirect();
    const answer = await form.post(call);
    if (answer instanceof Html) return shown(call, sent, answer);
    return answer ?? call.redirect(`${call.path({ done: `${section.id}.${name}` })}#section-${section.id}`);
  },
  scripts: ({ sections }) => sections.flatMap(({ script = [] }) => script),
  render: accountTemplate,
});

function accountTemplate(
  { user, signOut, sections }: AccountData,
  { message }: OwnPageContext<keyof typeof ENGLISH>,
): Page {
  const title = message('yourAccount');
  return {
    title,
    main: html`<h1>${title}</h1>
      <p class="aside">
        ${message('signedInAs', { user: html`<b>${user}</b>` })}
        ${signOut !== undefined && html`<a href="${signOut}">${message('signOut')}</a>`}
      </p>
      ${sections.map(({ id, main }) => html`<section class="stack" id="section-${id}">${main}</section>`)}`,
  };
}

/** Returns the form that the browser has sent. `undefined` if there is no such section or form. */
function findForm(call: PageCall): SentForm | undefined {
  const section = call.server.all(ACCOUNT_SECTIONS).find(({ id }) => id === call.text('section'));
  const name = call.text('form') ?? '';
  const { forms = {} } = section ?? {};
  return section && Object.hasOwn(forms, name) ? { section, name, form: forms[name]! } : undefined;
}

/** Returns the text that binds the forms of a section to the section and the user. */
const bindingOf = (section: AccountSection | undefined, call: PageCall): string =>
  ` of the account section ${section?.id ?? ''} of ${String(call.user['id'])}`;

const isFresh = async ({ maxAge }: AccountSection, call: PageCall): Promise<boolean> =>
  maxAge === undefined || (await call.findUser(maxAge)) !== undefined;

/** Sends the user to the login page, and back. */
const signInAgain = (call: PageCall): PageRedirect => call.login(call.path(), { reauthenticate: true });

/**
 * Returns the data of the page.
 * @param sent the form that the browser has sent, if it is shown again
 * @param result what the form has returned, to show once
 */
async function shown(call: PageCall, sent: SentForm | undefined, result?: Html): Promise<AccountData> {
  const sections = orderSections(call.server.all(ACCOUNT_SECTIONS));
  const all = await Promise.all(
    sections.map(async (section) => showSection(section, call, sent?.section === section ? { result } : undefined)),
  );
  return {
    user: call.site.renderer.contextFor(preferencesOf(call.request)).nameOf(call.user),
    signOut: call.server.endpoints.has('logout') ? call.pathOf('logout') : undefined,
    sections: all.filter((one) => one !== undefined),
  };
}

/** Renders a section with its heading, and with the problem or the result of its form. */
async function showSection(
  section: AccountSection,
  call: PageCall,
  sent: { result: Html | undefined } | undefined,
): Promise<ShownSection | undefined> {
  const { id, title, messages, script } = section;
  const context = call.site.renderer.contextFor(preferencesOf(call.request), messages);
  const { message } = context;
  const heading = html`<h2>${message(title)}</h2>`;
  if (!(await isFresh(section, call))) {
    const { location } = signInAgain(call);
    return {
      id,
      main: html`${heading}
        <p><a href="${location}">${message('signInToChange')}</a></p>`,
    };
  }
  const data = await section.get(call);
  if (!data) return undefined;
  const form = (name: string, content: Html, more = {}) =>
    html`<form method="post" action="${call.path()}">
      ${hidden(call.fields({ ...more, section: id, form: name }, bindingOf(section, call)))} ${content}
    </form>`;
  const problem = sent && call.problemName;
  const main = html`${heading} ${problemOf({ message, ...(problem !== undefined && { problem }) })}
  ${sent?.result ?? noticeOf(section, call, message)} ${section.render(data, { ...context, form })}`;
  return { id, script: typeof script === 'function' ? script(call) : script, main };
}

/** Renders the message of a form that has just been handled, as the URL of the page names it. */
function noticeOf({ id, forms = {} }: AccountSection, call: PageCall, message: (key: string) => Html): Html | false {
  const { done } = call.request.query;
  const form = Object.entries(forms).find(([name]) => done === `${id}.${name}`)?.[1];
  return form?.done !== undefined && html`<p class="notice" role="status">${message(form.done)}</p>`;
}
