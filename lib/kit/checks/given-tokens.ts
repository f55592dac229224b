import { demand } from '../contract.js';
import type { Trial } from '../trial.js';
import { lookUp } from './finding.js';
import { ACCESS_TOKEN } from './kinds.js';

/** A token of another client than that of the fixtures. */
export async function giveToken(trial: Trial, clientId: string, secret: string | null): Promise<string> {
  const client = await trial.model.getClient(clientId, secret);
  demand(client, '`getClient()` does not find a client that was just kept');
  const { refreshToken: _, refreshTokenExpiresAt: __, ...sent } = await trial.newToken();
  const saved = await trial.model.saveToken(sent, client, await trial.user());
  demand(saved, '`saveToken()` returned nothing');
  demand(
    await lookUp(trial, ACCESS_TOKEN, saved.accessToken),
    '`getAccessToken()` does not find a token of a client that was just kept',
  );
  return saved.accessToken;
}

export async function demandEnded(trial: Trial, accessToken: string, what: string): Promise<void> {
  demand(
    !(await lookUp(trial, ACCESS_TOKEN, accessToken)),
    `an access token is found that the client had before it was ${what}`,
  );
}
