import type { Choices } from './choices.js';
import type { Existing } from './existing/existing-application.js';
import type { Settings } from './existing/settings.js';
import { isSql, type StoreName } from './stores.js';

/** The variables with the addresses of databases. */
const ADDRESSES: Partial<Record<StoreName, string>> = { redis: 'REDIS_URL', mongoose: 'MONGODB_URL' };

/** What the steps say about commands. */
interface Commands {
  /** Whether packages must still be installed. */
  skippedInstall: boolean;
  /** The command that runs the written tests. */
  test: string;
}

/** Returns the commands that lead to the first sign-in. */
export function nextSteps(choices: Choices, settings: Settings, { skippedInstall, test }: Commands): string {
  const install = skippedInstall ? ['npm install'] : [];
  return stepsText([...install, ...stepsOf(choices, settings, test), ...deploySteps(choices)]);
}

function stepsOf(choices: Choices, settings: Settings, test: string): string[] {
  const { store, database, features, path, existing } = choices;
  const { port, prefix } = settings;
  const origin = `http://localhost:${port}${prefix}`;
  const mcp = features.has('mcp') ? [`Connect an MCP client to ${origin}/mcp`] : [];
  if (existing) return [...existingSteps(existing, choices, settings, test), ...mcp];
  if (store === 'none') {
    return [
      'Set OAUTH2_ISSUER and OAUTH2_AUDIENCE in .env',
      'npm run test:e2e    # calls the guarded route',
      `npm start           # GET ${prefix}/account requires an access token`,
    ];
  }
  const address = ADDRESSES[store] ?? (isSql(store) && database !== 'sqlite' ? 'DATABASE_URL' : undefined);
  return [
    ...(address ? [`Set ${address} in .env`] : []),
    ...(store === 'drizzle' || store === 'prisma' ? [`npm run ${path}:migrate`] : []),
    ...(store === 'memory' ? [] : [`npm run ${path}:seed    # prints the secret of the first client`]),
    `${test}      # signs in and calls the guarded route`,
    features.has('accounts')
      ? `npm start             # sign up on ${origin}/oauth/sign_up. The log has the link of the e-mail`
      : `npm start             # sign in on ${origin}/oauth/login with SEED_USERNAME and SEED_PASSWORD of .env`,
    ...mcp,
  ];
}

/** Returns the steps of an application whose connection and users the server uses. */
function existingSteps(
  existing: Existing,
  { path, features }: Choices,
  { port, prefix, envFile }: Settings,
  test: string,
): string[] {
  const { store, users, sources } = existing;
  const scope = features.has('openid') ? 'openid --scope profile --scope account:read' : 'account:read';
  const isSynchronized = [...sources.values()].some((text) => /\bsynchronize:\s*true/.test(text));
  const tables = {
    prisma: ['npx prisma migrate deploy && npx prisma generate    # creates three tables'],
    drizzle: ['npx drizzle-kit generate && npx drizzle-kit migrate    # creates three tables'],
    typeorm: isSynchronized ? [] : ['Run the migrations of your application, which now create three more tables'],
    mongoose: [],
  }[store];
  return [
    `Read src/${path}/oauth-users.ts: users are ${users.name}, sign in with \`${users.login}\`, and have the hash \`${users.hash}\``,
    `OAUTH2_SECRET and OAUTH2_ISSUER are in ${envFile}`,
    ...tables,
    'npm run build',
    `npx nest-oauth2 clients create web --grant authorization_code --grant refresh_token --redirect-uri http://127.0.0.1:3001/callback --scope ${scope}`,
    `${test}      # signs a user in and calls the guarded route`,
    `npm start             # sign in as one of your users on http://localhost:${port}${prefix}/oauth/login`,
    ...(features.has('accounts') ? accountSteps(users.initial, path) : []),
  ];
}

/** Returns the steps of an application whose passwords move to the store. */
const accountSteps = (initial: Readonly<Record<string, string>>, path: string) => [
  ...(Object.keys(initial).length > 0
    ? [
        `Choose ${Object.keys(initial).join(', ')} of new users in src/${path}/oauth-users.ts, then remove \`signUp: false\``,
      ]
    : []),
  'Store e-mail addresses in lower case, because the login finds no others',
  'Remove your own login and your own pages that change a password: the store keeps passwords from the next login on',
];

const deploySteps = ({ deploy }: Choices) =>
  deploy ? ['Read the guide "Docker and Kubernetes" for the files in deploy/'] : [];

const stepsText = (steps: string[]) => `Next:\n${steps.map((step, at) => `  ${at + 1}. ${step}`).join('\n')}`;
