import type { Type } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { freePort } from '../support/free-port.js';
import { startApplication, stopApplications } from '../support/test-application.js';
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
});
