import { posix } from 'node:path';
import type { Application } from './application.js';
import type { Choices } from './choices.js';
import type { Settings } from './existing/settings.js';
import type { TemplateValues } from './template.js';
import { isSql } from './stores.js';
import type { Tree } from './tree.js';

/** The commands of package managers, by the name of their lock file. */
const MANAGERS: readonly { lock: string; install: string; prune: string }[] = [
  { lock: 'pnpm-lock.yaml', install: 'corepack enable && pnpm install --frozen-lockfile', prune: 'pnpm prune --prod' },
  {
    lock: 'yarn.lock',
    install: 'yarn install --frozen-lockfile',
    prune: 'yarn install --production --frozen-lockfile',
  },
  { lock: 'package-lock.json', install: 'npm ci', prune: 'npm prune --omit=dev' },
];

const SERVERS: Readonly<Record<string, { name: string; image: string; admin: string }>> = {
  mariadb: { name: 'MariaDB', image: 'mariadb:11.4', admin: 'mariadb-admin' },
  mysql: { name: 'MySQL', image: 'mysql:8.4', admin: 'mysqladmin' },
};

/** The variables with the addresses of stores whose server the Compose file does not start. */
const ADDRESSES: Readonly<Record<string, string>> = { redis: 'REDIS_URL', mongoose: 'MONGODB_URL' };

const bin = (name: string) => `node_modules/.bin/${name}`;

/** Returns the words of the command that creates the tables, or `undefined` if there is none. */
function migration(choices: Choices, dist: string): string[] | undefined {
  const { store, path, existing } = choices;
  if (store === 'prisma')
    return existing ? [bin('prisma'), 'migrate', 'deploy'] : ['node', `${dist}/${path}/migrate.js`];
  if (store === 'drizzle') {
    return [bin('drizzle-kit'), 'migrate', ...(existing ? [] : ['--config', `drizzle.${path}.config.mjs`])];
  }
  if (store !== 'typeorm') return undefined;
  const source = existing ? dataSourceOf(existing.sources) : `${path}/data-source.ts`;
  return source === undefined
    ? undefined
    : [bin('typeorm'), 'migration:run', '-d', `${dist}/${source.replace(/\.ts$/, '.js')}`];
}

/** Returns the file with the data source of the TypeORM command line, relative to the folder of the sources. */
function dataSourceOf(sources: ReadonlyMap<string, string>): string | undefined {
  const found = [...sources].find(([, text]) => /\bexport (?:default|const \w+ =) new DataSource\(/.test(text));
  return found?.[0].split('/').slice(1).join('/');
}

/** Returns the conditions and values of the files for Docker and Kubernetes. */
export function deploymentValues(
  tree: Tree,
  { manifest }: Application,
  choices: Choices,
  settings: Settings,
): TemplateValues {
  const { store, database, existing } = choices;
  const name = (manifest.name ?? 'server').toLowerCase().replaceAll(/^@.*\/|[^a-z\d-]/g, '') || 'server';
  const manager = MANAGERS.find(({ lock }) => tree.exists(lock)) ?? MANAGERS.at(-1)!;
  const command = migration(choices, posix.dirname(settings.entry));
  const hasCommandLine = store === 'drizzle' || (store === 'prisma' && existing !== undefined);
  const hasServer = isSql(store);
  const address = existing ? undefined : ADDRESSES[store];
  const secrets = store === 'none' ? ['OAUTH2_AUDIENCE'] : ['OAUTH2_SECRET'];
  const names = [
    ...(hasServer ? ['DATABASE_PASSWORD'] : []),
    ...(address ? [address] : []),
    'OAUTH2_ISSUER',
    ...secrets,
  ];
  const server = SERVERS[database];
  return {
    flags: new Set([...(command ? ['migrate'] : []), ...(hasCommandLine ? ['buildStage'] : [])]),
    values: {
      name,
      ...manager,
      entry: settings.entry,
      buildUrl: `${database === 'postgres' ? 'postgresql' : 'mysql'}://build@localhost/build`,
      live: `${settings.prefix}/${settings.health}/live`,
      ready: `${settings.prefix}/${settings.health}/${store === 'none' ? 'live' : 'ready'}`,
      variables: `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`,
      migrateCommand: (command ?? []).map((word) => `'${word}'`).join(', '),
      migrateImage: hasCommandLine ? `${name}-migrate` : name,
      databaseName: server?.name ?? '',
      databaseImage: server?.image ?? '',
      databaseAdmin: server?.admin ?? '',
    },
  };
}
