import type { Application } from './application.js';
import type { Choices } from './choices.js';
import type { ManifestAdditions } from './manifest.js';
import { packagesOf } from './stores.js';

/** Returns the range of an installed package of Nest, so that all packages of Nest have the same version. */
const rangeOfNest = ({ manifest }: Application) =>
  manifest.dependencies?.['@nestjs/core'] ?? manifest.devDependencies?.['@nestjs/core'] ?? 'latest';

/** The packages of `passkeys` and `authenticator` of `accounts()`, with the versions that the tests of this package use. */
const ACCOUNT_PACKAGES = { '@simplewebauthn/server': '^14.0.3', otplib: '^13.5.0', uqr: '^0.1.3' };

/** Returns the scripts that create the tables and the first user. */
function scriptsOf(application: Application, { store, path, existing }: Choices): Record<string, string> {
  if (store === 'none' || store === 'memory' || existing) return {};
  const migrate = `${path}:migrate`;
  const seed = { [`${path}:seed`]: `nest start --entryFile ${path}/seed` };
  if (store === 'typeorm') {
    return { [migrate]: `nest build && typeorm migration:run -d dist/${path}/data-source.js`, ...seed };
  }
  if (store === 'drizzle') {
    const config = `--config drizzle.${path}.config.mjs`;
    return { [migrate]: `drizzle-kit generate ${config} && drizzle-kit migrate ${config}`, ...seed };
  }
  if (store === 'prisma') {
    const run = `nest start --entryFile ${path}/migrate`;
    return { prebuild: 'prisma generate', [migrate]: `prisma generate && ${run}`, ...seed };
  }
  return seed;
}

/** Returns the packages and scripts that the written files need. */
export function additionsOf(application: Application, choices: Choices): ManifestAdditions {
  const { store, database, http, features, existing } = choices;
  const packages = existing ? {} : packagesOf(store, database);
  return {
    dependencies: {
      ...packages.dependencies,
      ...(http === 'fastify' && { '@nestjs/platform-fastify': rangeOfNest(application) }),
      ...((features.has('openid') || features.has('mcp') || store === 'none') && { jose: '^6.2.17' }),
      ...(features.has('accounts') && store !== 'none' && ACCOUNT_PACKAGES),
      ...(features.has('mcp') && {
        '@modelcontextprotocol/node': '^2.1.2',
        '@modelcontextprotocol/server': '^2.4.0',
      }),
    },
    devDependencies: { ...packages.devDependencies },
    scripts: scriptsOf(application, choices),
  };
}
