import * as oauth from 'openid-client';
import { signIn } from './sign-in.js';

const issuer = new URL(process.env.ISSUER ?? 'http://127.0.0.1:3000');
const isLocal = ['127.0.0.1', 'localhost'].includes(issuer.hostname);

/** What a server says when there are no tokens, in words for whoever sits here. */
const ENDINGS: Record<string, string> = {
  access_denied: 'You said no. Nothing was signed in.',
  expired_token: 'That took too long. Start again.',
};

async function run(): Promise<void> {
  const configuration = await oauth.discovery(issuer, 'notes-cli', undefined, oauth.None(), {
    algorithm: 'oauth2',
    // On this computer there is no TLS.
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
  console.error(ENDINGS[error.error ?? ''] ?? error.message);
  process.exitCode = 1;
});
