import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { AppModule } from '../../sample/18-payments/src/server/app.module.js';
import { GRANT } from '../support/clients/ciba.js';
import { readResponse, basic, bearer, post } from '../support/clients/http.js';
import { startApplication, stopApplications } from '../support/servers/test-application.js';
import { PageBrowser } from '../src/pages/page-browser.js';

const TILL = basic('till', 'till-secret');
const PAYMENT = {
  type: 'payment_initiation',
  amount: { currency: 'EUR', value: '14.50' },
  creditor: 'The Hatter',
};

describe('sample/18-payments', () => {
  let url: string;
  let alice: PageBrowser;

  beforeAll(async () => {
    ({ url } = await startApplication('express', { imports: [AppModule] }));
    alice = new PageBrowser(url);
    await alice.signIn('/oauth/login');
  });
  afterAll(stopApplications);

  const ask = async (change: object = {}) =>
    readResponse(
      post(
        `${url}/oauth/backchannel_authentication`,
        {
          scope: 'openid',
          login_hint: '+44 1865 1',
          binding_message: '4711',
          authorization_details: JSON.stringify([{ ...PAYMENT, ...change }]),
        },
        TILL,
      ),
    );
  const begin = async () => ((await ask()).body as { auth_req_id: string }).auth_req_id;
  const poll = async (id: string) =>
    (await readResponse(post(`${url}/oauth/token`, { grant_type: GRANT, auth_req_id: id }, TILL))).body as Record<
      string,
      string
    >;

  it('executes an approved payment once, even if several decisions are sent at the same time', async () => {
    const begun = await begin();
    const phone = await alice.get('/phone');
    expect(phone.heading).toBe('Payments to approve');
    expect(phone.headers.get('refresh')).toBe('5');
    expect(phone.html).toContain('14.50 EUR to The Hatter');
    expect(phone.html).toContain('4711');
    const said = await Promise.all(['pay', 'no', 'pay'].map((decision) => alice.send(phone, { decision })));
    expect(said.map(({ status }) => status)).toEqual([303, 303, 303]);
    // One of the concurrent decisions counted.
    const { access_token: token, error } = await poll(begun);
    expect([error, typeof token]).toEqual(token ? [undefined, 'string'] : ['access_denied', 'undefined']);
    const next = await begin();
    await alice.send(await alice.get('/phone'), { decision: 'pay' });
    const { access_token: agreed } = await poll(next);
    const paid = await Promise.all(
      [1, 2, 3].map(async () => readResponse(post(`${url}/payments`, {}, bearer(agreed!)))),
    );
    expect(paid.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409, 409]);
  });

  it('accepts the approval only from the user’s phone that showed the payment', async () => {
    const begun = await begin();
    const phone = await alice.get('/phone');
    const stranger = new PageBrowser(url);
    await stranger.send(phone, { decision: 'pay' });
    // The identifier that the till knows is not accepted there.
    expect((await alice.post(`/phone/${begun}`, { decision: 'pay' })).status).toBe(303);
    expect(await poll(begun)).toMatchObject({ error: 'authorization_pending' });
  });

  it('ignores an empty form', async () => {
    const cookie = [...alice.cookies].map((pair) => pair.join('=')).join('; ');
    const empty = await fetch(`${url}/phone/x`, { method: 'POST', headers: { cookie }, redirect: 'manual' });
    expect(empty.status).toBe(303);
  });

  it.each([
    { amount: { currency: 'EUR', value: ['14.50'] } },
    { amount: { currency: ['EUR'], value: '14.50' } },
    { amount: { currency: 'EUR', value: '14.50', more: '1000.00' } },
    { amount: null },
    { creditor: 'The Hatter\u202e05.41' },
    { creditor: 'The Hatter\nand nobody else' },
    { creditor: '' },
  ])('rejects the payment details %j', async (change) => {
    expect(await ask(change)).toMatchObject({ status: 400, body: { error: 'invalid_authorization_details' } });
  });
});
