import { afterAll, expect, it } from '@jest/globals';
import { makeDatabase, type Sample, startSample, type Stage } from './sample.js';
import { openPage, signIn } from './browser.js';

export function afterARestart(stage: Stage): void {
  const database = makeDatabase();
  let sample: Sample | undefined;
  afterAll(async () => {
    await sample?.stop();
    database.remove();
  });

  it('accepts the tokens, notes, sessions and consents from before the restart', async () => {
    sample = await startSample(database.file);
    const { page } = await openPage(stage.browser, {});
    await page.goto(authorizeAt(sample, 'before'));
    await signIn(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('does not belong to a sign-in started in this tab').waitFor();
    const alice = { username: 'alice', password: 'wonderland', scope: 'notes:read notes:write' };
    const tokens = await issue(sample, { grant_type: 'password', ...alice });
    const { notes } = await callNotes(sample, tokens, { text: 'Remember this' });
    expect(notes).toEqual(['Follow the white rabbit', 'Be at the tea party by six', 'Remember this']);

    await sample.stop();
    sample = await startSample(database.file, new URL(sample.url).port);
    expect(await callNotes(sample, tokens)).toEqual({ notes });
    const refreshed = await issue(sample, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
    expect(await callNotes(sample, refreshed)).toEqual({ notes });
    // The page redirects directly, without the login form and the consent page.
    await page.goto(authorizeAt(sample, 'after'));
    await page.getByText('You still have a login session as Alice Liddell').waitFor();
    await page.getByText('does not belong to a sign-in started in this tab').waitFor();
    await page.context().close();
  });
}

function authorizeAt({ url }: Sample, state: string): string {
  const requested = { response_type: 'code', client_id: 'demo-web', redirect_uri: `${url}/callback`, scope: 'profile' };
  return `${url}/oauth/authorize?${new URLSearchParams({ ...requested, state }).toString()}`;
}

interface Tokens {
  access_token: string;
  refresh_token: string;
}

async function issue({ url }: Sample, fields: Record<string, string>): Promise<Tokens> {
  const authorization = `Basic ${btoa('demo-web:demo-web-secret')}`;
  const body = new URLSearchParams(fields);
  const response = await fetch(`${url}/oauth/token`, { method: 'POST', headers: { authorization }, body });
  expect(response.status).toBe(200);
  return (await response.json()) as Tokens;
}

async function callNotes({ url }: Sample, tokens: Tokens, note?: { text: string }): Promise<{ notes: string[] }> {
  const headers = { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' };
  const method = note ? 'POST' : 'GET';
  const response = await fetch(`${url}/api/notes`, { method, headers, body: note && JSON.stringify(note) });
  return (await response.json()) as { notes: string[] };
}
