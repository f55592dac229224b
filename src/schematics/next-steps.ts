import type { Choices } from './choices.js';
import { isSql, type StoreName } from './stores.js';

/** The variables with the addresses of databases. */
const ADDRESSES: Partial<Record<StoreName, string>> = { redis: 'REDIS_URL', mongoose: 'MONGODB_URL' };

/** Returns the commands that lead to the first sign-in. */
export function nextSteps({ store, database, features, path }: Choices, skippedInstall: boolean): string {
  const install = skippedInstall ? ['npm install'] : [];
  if (store === 'none') {
    return stepsText([
      ...install,
      'Set OAUTH2_ISSUER and OAUTH2_AUDIENCE in .env',
      'npm run test:e2e    # calls the guarded route',
      'npm start           # GET /account requires an access token',
    ]);
  }
  const address = ADDRESSES[store] ?? (isSql(store) && database !== 'sqlite' ? 'DATABASE_URL' : undefined);
  return stepsText([
    ...install,
    ...(address ? [`Set ${address} in .env`] : []),
    ...(store === 'drizzle' || store === 'prisma' ? [`npm run ${path}:migrate`] : []),
    ...(store === 'memory' ? [] : [`npm run ${path}:seed    # prints the secret of the first client`]),
    'npm run test:e2e      # signs in and calls the guarded route',
    `npm start             # sign in on http://localhost:3000/oauth/login with SEED_USERNAME and SEED_PASSWORD of .env`,
    ...(features.has('mcp') ? ['Connect an MCP client to http://localhost:3000/mcp'] : []),
  ]);
}

const stepsText = (steps: string[]) => `Next:\n${steps.map((step, at) => `  ${at + 1}. ${step}`).join('\n')}`;
