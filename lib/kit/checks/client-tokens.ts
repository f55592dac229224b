import { assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { lookUp } from './model-calls.js';
import { ACCESS_TOKEN } from './token-kinds.js';

/** A token of another client than that of the fixtures. */
export async function saveTokenFor(trial: CheckContext, clientId: string, secret: string | null): Promise<string> {
  const client = await trial.model.getClient(clientId, secret);
  assert(client, '`getClient()` does not find a client that was just kept');
  const { refreshToken: _, refreshTokenExpiresAt: __, ...sent } = await trial.newToken();
  const saved = await trial.model.saveToken(sent, client, await trial.user());
  assert(saved, '`saveToken()` returned nothing');
  assert(
    await lookUp(trial, ACCESS_TOKEN, saved.accessToken),
    '`getAccessToken()` does not find a token of a client that was just kept',
  );
  return saved.accessToken;
}

export async function assertTokenRevoked(trial: CheckContext, accessToken: string, what: string): Promise<void> {
  assert(
    !(await lookUp(trial, ACCESS_TOKEN, accessToken)),
    `an access token is found that the client had before it was ${what}`,
  );
}
