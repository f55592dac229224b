import { randomInt } from 'node:crypto';
import * as oauth from 'openid-client';

// The till of a shop: it has a customer before it, of whom it knows the number of a telephone, and no browser.
const [number = '+44 1865 1', value = '14.50'] = process.argv.slice(2);
const issuer = new URL(process.env.ISSUER ?? 'http://127.0.0.1:3000');
const isLocal = ['127.0.0.1', 'localhost'].includes(issuer.hostname);

/** What a server says when there are no tokens, in words for whoever sits here. */
const ENDINGS: Record<string, string> = {
  access_denied: 'The customer said no. Nothing was paid.',
  expired_token: 'That took too long. Start again.',
  unknown_user_id: 'Nobody has this number.',
};

async function run(): Promise<void> {
  const secret = process.env.TILL_SECRET ?? 'till-secret';
  const configuration = await oauth.discovery(issuer, 'till', secret, undefined, {
    // On this computer there is no TLS.
    execute: isLocal ? [oauth.allowInsecureRequests] : [],
  });
  const shown = String(randomInt(1000, 10_000));
  const payment = { type: 'payment_initiation', amount: { currency: 'EUR', value }, creditor: 'The Hatter' };
  const begun = await oauth.initiateBackchannelAuthentication(configuration, {
    scope: 'openid',
    login_hint: number,
    binding_message: shown,
    authorization_details: JSON.stringify([payment]),
  });
  console.log(`Please look at your telephone, ${new URL('/phone', issuer)}\nIt shows: ${shown}\n\nWaiting …`);
  // Asks every few seconds, as often as the server likes, until the user has decided.
  const tokens = await oauth.pollBackchannelAuthenticationGrant(configuration, begun);
  const place = new URL('/payments', issuer);
  const answer = await oauth.fetchProtectedResource(configuration, tokens.access_token, place, 'POST');
  console.log(`Paid. ${await answer.text()}`);
}

run().catch((error: Error & { error?: string }) => {
  const isUnreachable = error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'ECONNREFUSED';
  const words = isUnreachable ? `Nobody answers at ${issuer.origin}: is the bank started?` : error.message;
  console.error(ENDINGS[error.error ?? ''] ?? words);
  process.exitCode = 1;
});
