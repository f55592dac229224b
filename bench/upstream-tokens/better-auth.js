import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { genericOAuth } from 'better-auth/plugins';
import { CONNECTIONS, url } from './database.js';

const PROVIDER = 'acme';

/** Opens better-auth with the tables of its own migrations, in a schema with this name. */
export async function open({ provider, name, isFirst }) {
  const { Pool } = (await import('pg')).default;
  const pool = new Pool({ connectionString: url, max: CONNECTIONS, options: `-c search_path=${name}` });
  if (isFirst) await pool.query(`CREATE SCHEMA ${name}`);
  const auth = betterAuth({
    baseURL: 'https://id.example.com',
    secret: 'of-the-benchmark-and-of-nothing-else-in-the-world',
    database: pool,
    account: { encryptOAuthTokens: true },
    rateLimit: { enabled: false },
    logger: { disabled: true },
    telemetry: { enabled: false },
    plugins: [
      genericOAuth({
        config: [
          {
            providerId: PROVIDER,
            clientId: 'us',
            clientSecret: 'secret',
            authorizationUrl: `${provider}/authorize`,
            tokenUrl: `${provider}/token`,
            userInfoUrl: `${provider}/user`,
          },
        ],
      }),
    ],
  });
  if (isFirst) await (await getMigrations(auth.options)).runMigrations();
  const { internalAdapter } = await auth.$context;
  return {
    async seed(user) {
      const { id } = await internalAdapter.createUser({
        name: user,
        email: `${user}@example.com`,
        emailVerified: true,
      });
      const account = await internalAdapter.createAccount({
        userId: id,
        providerId: PROVIDER,
        accountId: user,
        // It also reads texts that are not encrypted, and encrypts them at the first refresh.
        accessToken: `access ${user}`,
        refreshToken: `${user}:0`,
        accessTokenExpiresAt: new Date(Date.now() - 1000),
      });
      return { userId: id, accountId: account.id };
    },
    token: async (user, account) => (await auth.api.getAccessToken({ body: account })).accessToken,
    async close() {
      if (isFirst) await pool.query(`DROP SCHEMA ${name} CASCADE`);
      await pool.end();
    },
  };
}
