import { basename, posix } from 'node:path';
import type { Application } from './application.js';
import type { Choices } from './choices.js';
import { deploymentValues } from './deployment.js';
import type { Settings } from './existing/settings.js';
import { existingValues } from './existing/template-values.js';
import { clientImport } from './prisma-schema.js';
import { EXACT_COLLATIONS } from './stores.js';
import { renderFolder, type TemplateValues } from './template.js';
import type { Tree } from './tree.js';

/** Returns the folders of templates that an application needs. */
function templatesOf({ store, features, existing, deploy }: Choices, { config }: Settings): string[] {
  const mcp = features.has('mcp') ? ['mcp'] : [];
  const others = ['health', ...(deploy ? ['deploy'] : [])];
  if (store === 'none') return ['api', ...others];
  const mailer = features.has('accounts') ? ['mailer'] : [];
  if (existing) return ['existing', ...(config ? [] : ['environment']), 'tests', ...mailer, ...mcp, ...others];
  const accounts = features.has('accounts') ? ['accounts'] : [];
  return ['server', 'environment', 'tests', store, ...accounts, ...mailer, ...mcp, ...others];
}

/** Returns the conditions and values that all templates share. */
function commonValues(application: Application, choices: Choices, settings: Settings): TemplateValues {
  const { manifest, isEsm, sourceRoot } = application;
  const { store, database, http, features, path, prisma, existing } = choices;
  // An existing application has its own table of users.
  const hasAccounts = features.has('accounts') && !existing;
  const scopes = [...(features.has('openid') ? ['openid', hasAccounts ? 'email' : 'profile'] : []), 'account:read'];
  // The store uses the connection of MongooseModule.
  const isShared = store === 'mongoose' && application.has('@nestjs/mongoose');
  const isMySql = database === 'mysql' || database === 'mariadb';
  const { prefix, port, health, config } = settings;
  const flags = [
    ...(isMySql ? ['mysql'] : []),
    ...(isShared ? ['connection'] : []),
    ...(prisma?.hasConfig ? ['prismaConfig'] : []),
    ...(store === 'none' ? ['api'] : []),
    ...(prefix ? ['prefix'] : []),
    ...(config ? ['config'] : []),
  ];
  const imports = [existing?.module?.name, config && !config.isGlobal ? 'ConfigModule' : undefined];
  return {
    flags: new Set([store, database, http, ...features, ...flags]),
    values: {
      js: isEsm ? '.js' : '',
      site: (manifest.name ?? 'my-application').replaceAll(/[^\w .@/-]/g, ''),
      path,
      oauth: posix.join(sourceRoot, path),
      sourceFolder: basename(sourceRoot),
      scope: `'${scopes.join(' ')}'`,
      scopes: scopes.map((scope) => `'${scope}'`).join(', '),
      dialect: database === 'postgres' ? 'postgresql' : database,
      database,
      ...(isMySql && { collation: EXACT_COLLATIONS[database]! }),
      kitDialect: database === 'postgres' ? 'postgresql' : isMySql ? 'mysql' : 'sqlite',
      ...(prisma && { prismaClient: clientImport(prisma, application, path), migration: prisma.migration }),
      prefix,
      port: String(port),
      health,
      login: hasAccounts ? 'email' : 'username',
      findBy: hasAccounts ? 'findByEmail' : 'findByUsername',
      loginLength: hasAccounts ? '254' : '191',
      // The table of `accounts()` has no column of integers.
      integer: hasAccounts ? '' : isMySql ? 'int as integer, ' : 'integer, ',
      guarded: `${prefix}/${existing ? 'whoami' : 'account'}`,
      imports: imports.filter((name) => name !== undefined).join(', '),
    },
  };
}

/** Returns the files of an application by path. */
export function filesOf(
  tree: Tree,
  application: Application,
  choices: Choices,
  settings: Settings,
): Map<string, string> {
  const folder = posix.join(application.sourceRoot, choices.path);
  const parts = [
    commonValues(application, choices, settings),
    ...(choices.existing
      ? [existingValues(choices.existing, application, folder, choices.features.has('accounts'))]
      : []),
    ...(choices.deploy ? [deploymentValues(tree, application, choices, settings)] : []),
  ];
  const context = {
    flags: new Set(parts.flatMap(({ flags }) => [...flags])),
    values: Object.assign({}, ...parts.map(({ values }) => values)) as TemplateValues['values'],
  };
  const files = templatesOf(choices, settings).flatMap((name) => Array.from(renderFolder(name, context)));
  return new Map(files.map(([name, text]) => [placeOf(name, application.sourceRoot, folder), text]));
}

/** Returns the path of a rendered file in the application. */
function placeOf(name: string, sourceRoot: string, folder: string): string {
  if (name.startsWith('oauth/')) return posix.join(folder, name.slice('oauth/'.length));
  return name.startsWith('test/') ? posix.join(posix.dirname(sourceRoot), name) : name;
}
