import { countAttempt, RateLimit, type Endpoint } from '../../lib/internal.js';
import { definePage, hidden, html, type PageCall, problemOf } from '../pages/index.js';
import { preferencesOf } from '../pages/site.js';
import { accountsOf, browserOf } from './accounts.js';
import { readEmail } from './email.js';
import type { AccountMessage, AccountMessages } from './messages.js';

/** The limit of links that one network requests. */
const fromNetwork = new RateLimit('accounts: links for network', { requests: 60, per: 3600 });

/** Maximum length of a name. */
const MAX_NAME = 100;

interface Data {
  readonly email: string | undefined;
  /** Set once the link was requested. */
  readonly isSent?: boolean;
  readonly name?: string | undefined;
}

/**
 * The page to sign up, or to reset a forgotten password: it asks for an address, to which a link is sent. Its response
 * is complete before the address is looked up, so it cannot reveal whether the address has an account.
 */
export const requestPage = (
  about: 'signUp' | 'forgot',
  { messages, asksForName }: { messages: AccountMessages; asksForName: boolean },
): Endpoint =>
  definePage<Data, AccountMessage>({
    path: about === 'signUp' ? 'oauth/sign_up' : 'oauth/forgot_password',
    messages,
    get: (call) => ({
      email: (call.text('email') ?? call.text('login_hint'))?.slice(0, 254),
      name: call.text('name')?.slice(0, MAX_NAME),
    }),
    async post(call) {
      const email = readEmail(call.text('email'));
      if (email === undefined) return call.problem('emailInvalid');
      const name = asksForName ? readName(call.text('name')) : undefined;
      if (asksForName && name === undefined) return call.problem('nameInvalid');
      if (await isThrottled(call)) return call.problem('throttled');
      const { returnTo, network } = call;
      const order = { about, email, name, returnTo, browser: browserOf(call), language: languageOf(call) };
      await accountsOf(call).mails.order(order, network);
      return { email, isSent: true };
    },
    render({ email, isSent, name }, context) {
      const { message, action, fields, problem } = context;
      const title = message(isSent ? 'sentTitle' : about === 'signUp' ? 'signUpTitle' : 'forgotTitle');
      if (isSent)
        return {
          title,
          main: html`<h1>${title}</h1>
            <p role="status">${message('sentText', { email: html`<b>${email}</b>` })}</p>`,
        };
      return {
        title: problem ? message('problem', { title }) : title,
        main: html`<h1>${title}</h1>
          ${problemOf(context)} ${about === 'forgot' && html`<p>${message('forgotIntro')}</p>`}
          <form method="post" action="${action}">
            ${hidden(fields)}
            ${
              asksForName &&
              html`<label for="name">${message('name')}</label>
                <input id="name" name="name" value="${name}" autocomplete="name" maxlength="${MAX_NAME}" required />`
            }
            <label for="email">${message('email')}</label>
            <input
              id="email"
              name="email"
              type="email"
              value="${email}"
              autocomplete="username"
              maxlength="254"
              required
            />
            <button class="primary wide">${message('sendLink')}</button>
          </form>`,
      };
    },
  });

/** Returns a typed name. `undefined` if it is empty, too long, or has characters that nobody sees. */
function readName(typed = ''): string | undefined {
  const name = typed.trim();
  return name !== '' && name.length <= MAX_NAME && !/\p{C}/u.test(name) ? name : undefined;
}

/** Counts a request for a link from the network, and sets `Retry-After` if there were too many. */
export async function isThrottled({ server, network, response }: PageCall): Promise<boolean> {
  // One tenant must not use up the limit of another.
  const key = JSON.stringify([server.options.issuer, network]);
  const { wait } = await countAttempt(network === undefined ? [] : [[fromNetwork, key]], server.options.model);
  if (wait > 0) response.set('retry-after', String(Math.ceil(wait)));
  return wait > 0;
}

/** Returns the language of a page, for the e-mail that it requests. */
export const languageOf = (call: PageCall): string =>
  call.site.renderer.languageOf(preferencesOf(call.request, call.returnTo));
