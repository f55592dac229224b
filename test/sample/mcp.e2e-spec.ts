import type { Type } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { freePort } from '../support/environment/free-port.js';
import { startApplication, stopApplications } from '../support/servers/test-application.js';
import { allowingUser } from '../src/judges/allowing-user.js';
import { JUDGES, ClientStorage } from '../src/judges/mcp-client.js';
import { PageBrowser } from '../src/pages/page-browser.js';

/** The variable path prevents type-checking: an installed sample has its own types. */
const load = (file: string) => import(`../../sample/10-mcp/src/${file}.js`) as Promise<Record<string, Type>>;

const text = (said: string) => ({ content: [{ type: 'text', text: expect.stringContaining(said) as unknown }] });

describe('sample/10-mcp', () => {
  const environment = { ...process.env };
  let url = '';

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    Object.assign(process.env, { ISSUER: url, DATABASE_FILE: ':memory:' });
    const { AppModule } = await load('app.module');
    await startApplication('express', { imports: [AppModule!] }, { port });
  });
  afterAll(async () => {
    process.env = environment;
    await stopApplications();
  });

  it('shows on its home page how to connect a client', async () => {
    const { status, heading, html } = await new PageBrowser(url).get('/');
    expect([status, heading]).toEqual([200, 'Connect an app to your notes']);
    expect(html).toContain(`<code>${url}/mcp</code>`);
  });

  it.each(JUDGES.map((judge) => [judge.name, judge] as const))(
    'lets %s connect from its bare URL through login and consent, and step up',
    async (_name, judge) => {
      const { browse, questions } = allowingUser(url);
      const kept = new ClientStorage(browse, { grants: ['authorization_code'] });
      const connection = await judge.connect(`${url}/mcp`, kept);
      expect(await connection.callTool('list_notes')).toMatchObject(text('Follow the white rabbit'));
      expect(questions).toEqual([expect.stringContaining('Read your notes')]);
      for (const said of [
        '<b>Judge</b>',
        '127.0.0.1:33418',
        `${url}/mcp`,
        'This request comes from an app on this device',
      ]) {
        expect(questions[0]).toContain(said);
      }
      expect(await connection.callTool('add_note', { text: `a tea party of ${judge.name}` })).toMatchObject(
        text(`Noted: a tea party of ${judge.name}`),
      );
      expect(questions[1]).toContain('Write notes for you');
      expect(await connection.callTool('list_notes')).toMatchObject(text(`\na tea party of ${judge.name}`));
    },
  );

  it('tells a client without elicitations the URL at which the user connects GitHub', async () => {
    const kept = new ClientStorage(allowingUser(url).browse, { grants: ['authorization_code'] });
    const connection = await JUDGES[0]!.connect(`${url}/mcp`, kept);
    expect(await connection.callTool('list_repositories')).toMatchObject({
      isError: true,
      ...text('/oauth/elicitation?'),
    });
    await connection.close();
  });

  it('lists the repositories of the user at GitHub, once the user has connected GitHub in a browser', async () => {
    const { browse, browser, questions } = allowingUser(url);
    const open = async (shown: { location: string | null }) => browser.get(shown.location!.replace(url, ''));
    const requested: string[] = [];
    const elicit = async (page: string, message: string) => {
      requested.push(message);
      const consent = await open(await open({ location: page }));
      const github = await open(await browser.send(consent));
      expect([consent.heading, github.heading]).toEqual(['Access to GitHub', 'Stand-in for GitHub']);
      const connected = await open(await browser.send(github));
      expect(connected.location).toMatch('/oauth/connections');
    };
    const kept = new ClientStorage(browse, { grants: ['authorization_code'], elicit });
    const connection = await JUDGES[1]!.connect(`${url}/mcp`, kept);
    const repositories = text('octocat/hello-world\noctocat/spoon-knife');
    expect(await connection.callTool('list_repositories')).toMatchObject(repositories);
    expect(questions.at(-1)).toContain('List your repositories at GitHub');
    expect(await connection.callTool('list_repositories')).toMatchObject(repositories);
    expect(requested).toEqual(['Connect your GitHub account to continue.']);
    await connection.close();
  });
});
