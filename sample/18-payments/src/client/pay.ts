import { randomInt } from 'node:crypto';
import * as oauth from 'openid-client';

// The till of a shop. It has no browser, and knows only the customer's phone number.
const [number = '+44 1865 1', value = '14.50'] = process.argv.slice(2);
const issuer = new URL(process.env.ISSUER ?? 'http://127.0.0.1:3000');
const isLocal = ['127.0.0.1', 'localhost'].includes(issuer.hostname);

/** Messages for the cashier, by error code. */
const ERROR_MESSAGES: Record<string, string> = {
  access_denied: 'The customer declined. Nothing was paid.',
  expired_token: 'The customer did not respond in time. Start again.',
  unknown_user_id: 'No customer has this phone number.',
};

async function run(): Promise<void> {
  const secret = process.env.TILL_SECRET ?? 'till-secret';
  const configuration = await oauth.discovery(issuer, 'till', secret, undefined, {
    // Allow http for a server on this computer.
    execute: isLocal ? [oauth.allowInsecureRequests] : [],
  });
  const bindingMessage = String(randomInt(1000, 10_000));
  const payment = { type: 'payment_initiation', amount: { currency: 'EUR', value }, creditor: 'The Hatter' };
  const authentication = await oauth.initiateBackchannelAuthentication(configuration, {
    scope: 'openid',
    login_hint: number,
    binding_message: bindingMessage,
    authorization_details: JSON.stringify([payment]),
  });
  console.log(`Approve the payment on your phone: ${new URL('/phone', issuer)}`);
  console.log(`Check that it shows: ${bindingMessage}\n\nWaiting …`);
  // Polls at the interval that the server sets, until the user approves or declines.
  const tokens = await oauth.pollBackchannelAuthenticationGrant(configuration, authentication);
  const url = new URL('/payments', issuer);
  const response = await oauth.fetchProtectedResource(configuration, tokens.access_token, url, 'POST');
  console.log(`Paid. ${await response.text()}`);
}

run().catch((error: Error & { error?: string }) => {
  const isUnreachable = error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'ECONNREFUSED';
  const message = isUnreachable ? `Cannot reach the bank at ${issuer.origin}. Run npm start first.` : error.message;
  console.error(ERROR_MESSAGES[error.error ?? ''] ?? message);
  process.exitCode = 1;
});
