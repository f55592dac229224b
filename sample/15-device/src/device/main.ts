import * as oauth from 'openid-client';
import { signIn } from './sign-in.js';

const issuer = new URL(process.env.ISSUER ?? 'http://127.0.0.1:3000');
const isLocal = ['127.0.0.1', 'localhost'].includes(issuer.hostname);

/** Messages for the user, by the error code of the token response. */
const ERROR_MESSAGES: Record<string, string> = {
  access_denied: 'You denied access. This device is not signed in.',
  expired_token: 'The code has expired. Start again.',
};

async function run(): Promise<void> {
  const configuration = await oauth.discovery(issuer, 'notes-cli', undefined, oauth.None(), {
    algorithm: 'oauth2',
    // Allow http for a server on this computer.
    execute: isLocal ? [oauth.allowInsecureRequests] : [],
  });
  const tokens = await signIn(configuration, console.log);
  const notes = await oauth.fetchProtectedResource(
    configuration,
    tokens.access_token,
    new URL('/notes', issuer),
    'GET',
  );
  console.log(`Signed in. ${await notes.text()}`);
}

run().catch((error: Error & { error?: string }) => {
  console.error(ERROR_MESSAGES[error.error ?? ''] ?? error.message);
  process.exitCode = 1;
});
