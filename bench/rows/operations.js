const DAY = 86_400_000;

/** The number of clients and grants per user in a filled database. */
export const CLIENTS = 1000;
export const GRANTS_PER_USER = 10;

/** The number of times that each operation is measured. The first time, a database also reads its catalog. */
const ROUNDS = 7;

/**
 * Runs every operation of a store several times. Resolves to the measured values of each operation, by its title.
 * @param measure Runs a function and resolves to `{ result, values }`.
 */
export async function measureOperations(store, measure) {
  const measured = {};
  const step = async (title, run) => {
    const { result, values } = await measure(run);
    (measured[title] ??= []).push(values);
    return result;
  };
  for (let round = 0; round < ROUNDS; round++) await operate(store, step, round);
  return measured;
}

/** Runs every operation once, on records that no other round uses. */
async function operate(store, step, round) {
  const client = { id: 'client7', grants: [] };
  const user = { id: `user${round}` };
  const expiresAt = new Date(Date.now() + DAY);
  const grantId = `new grant ${round}`;
  const token = {
    accessToken: `access ${round}`,
    accessTokenExpiresAt: expiresAt,
    refreshToken: `refresh ${round}`,
    refreshTokenExpiresAt: expiresAt,
    scope: ['read'],
    grantId,
  };
  const code = { authorizationCode: `code ${round}`, expiresAt, scope: ['read'], grantId };
  await step('save two tokens and their grant', () => store.saveToken(token, client, user));
  await step('look up an access token', () => store.getAccessToken(token.accessToken));
  await step('look up a refresh token', () => store.getRefreshToken(token.refreshToken));
  await step('use a refresh token', () => store.revokeToken(token));
  await step('save a code', () => store.saveAuthorizationCode(code, client, user));
  await step('look up a code', () => store.getAuthorizationCode(code.authorizationCode));
  await step('use a code', () => store.revokeAuthorizationCode(code));
  await step('remember a single-use value', () => store.once(`value ${round}`, 60));
  await step('list the grants of a user', () => store.listGrants(user.id));
  await step('revoke a grant', () => store.revokeGrant(grantId));
  await step('revoke the grants of a user', () => store.revokeGrantsOf({ userId: `user${100 + round}` }));
  await step('revoke the grants of a client', () => store.revokeGrantsOf({ clientId: `client${500 + round}` }));
  await step('prune, nothing has expired', () => store.prune());
}
