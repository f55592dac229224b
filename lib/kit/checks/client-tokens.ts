import { assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { lookUp } from './model-calls.js';
import { ACCESS_TOKEN } from './token-kinds.js';

/** Saves an access token for the client with this ID, and returns the token. */
export async function saveTokenFor(context: CheckContext, clientId: string, secret: string | null): Promise<string> {
  const client = await context.model.getClient(clientId, secret);
  assert(client, '`getClient()` does not find a client that was just saved.');
  const { refreshToken: _, refreshTokenExpiresAt: __, ...sent } = await context.newToken();
  const saved = await context.model.saveToken(sent, client, await context.user());
  assert(saved, '`saveToken()` returned nothing. It must return the saved token.');
  assert(
    await lookUp(context, ACCESS_TOKEN, saved.accessToken),
    '`getAccessToken()` does not find an access token that was just saved.',
  );
  return saved.accessToken;
}

export async function assertTokenRevoked(context: CheckContext, accessToken: string, change: string): Promise<void> {
  assert(
    !(await lookUp(context, ACCESS_TOKEN, accessToken)),
    `\`getAccessToken()\` finds an access token that was issued to the client before it was ${change}. It must return nothing.`,
  );
}
