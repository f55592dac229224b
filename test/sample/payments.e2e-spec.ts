import type { Type } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { answerOf, basic, post } from '../support/http.js';
import { startHost, stopHosts } from '../support/nest-host.js';

/** By a name that the compiler does not follow: a sample that is installed has types of its own. */
const load = (file: string) =>
  import(`../../sample/18-payments/src/server/${file}.js`) as Promise<Record<string, Type>>;

describe('sample/18-payments', () => {
  let url = '';

  beforeAll(async () => {
    const { AppModule } = await load('app.module');
    ({ url } = await startHost('express', { imports: [AppModule!] }));
  });
  afterAll(stopHosts);

  const ask = async (amount: unknown) => {
    const payment = { type: 'payment_initiation', amount, creditor: 'The Hatter' };
    const form = {
      scope: 'openid',
      login_hint: '+44 1865 1',
      binding_message: '1234',
      authorization_details: JSON.stringify([payment]),
    };
    return await answerOf(post(`${url}/oauth/backchannel_authentication`, form, basic('till', 'till-secret')));
  };

  it('asks for nothing that its user is not shown', async () => {
    const amount = { currency: 'EUR', value: '14.50' };
    expect(await ask(amount)).toMatchObject({ status: 200 });
    const refusal = { status: 400, body: { error: 'invalid_authorization_details' } };
    for (const more of [{ ...amount, each: 'week' }, { ...amount, value: '14.5' }, null, 'EUR 14.50', []]) {
      expect(await ask(more)).toMatchObject(refusal);
    }
  });

  it('is not surprised by a decision without a form', async () => {
    const answer = await fetch(`${url}/phone/unknown`, { method: 'POST', redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/phone']);
  });
});
