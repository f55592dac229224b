import { basename, posix } from 'node:path';
import { type Application, readApplication } from './application.js';
import { type AddOptions, type Choices, readChoices } from './choices.js';
import { appendKeys, environmentKeys } from './environment.js';
import { ignoreFiles } from './ignored-files.js';
import { extendManifest } from './manifest.js';
import { additionsOf } from './additions.js';
import { nextSteps } from './next-steps.js';
import { connectModule } from './connect-module.js';
import { clientImport, writePrismaSchema } from './prisma-schema.js';
import { EXACT_COLLATIONS } from './stores.js';
import { renderFolder, type TemplateValues } from './template.js';
import { readText, type Rule, type SchematicContext, type Tree, writeText } from './tree.js';
import { createFiles, planFiles } from './write-files.js';

/** `nest add nest-oauth2`: adds an authorization server, or the guard of an API, to an application. */
export function add(options: AddOptions): Rule {
  return async (tree, context) => {
    const application = readApplication(tree, options.sourceRoot);
    const choices = readChoices(options, application, tree);
    const plan = await planFiles(tree, filesOf(application, choices));
    if (plan.changed.length > 0) {
      context.logger.warn(
        `Nothing was written, because these files exist with another text:\n  ${plan.changed.join('\n  ')}\n` +
          'The command never replaces a file. Keep your files, or move them away and run the command again. The option ' +
          '--path selects another folder, and another name of the test.',
      );
      return;
    }
    createFiles(tree, plan);
    if (choices.prisma) writePrismaSchema(tree, choices.prisma, application, choices.database);
    writeEnvironment(tree, choices, context);
    ignoreFiles(tree, application, choices);
    connectModule(tree, application, choices, context.logger);
    const isAdded = extendManifest(tree, additionsOf(application, choices));
    if (isAdded && !options.skipInstall) addInstallTask(context);
    if (plan.created.size > 0) context.logger.info(nextSteps(choices, isAdded && options.skipInstall === true));
  };
}

/** Returns the files of this application by path. */
function filesOf(application: Application, choices: Choices): Map<string, string> {
  const { manifest, isEsm, sourceRoot } = application;
  const { store, database, http, features, path, prisma } = choices;
  const scopes = [...(features.has('openid') ? ['openid', 'profile'] : []), 'account:read'];
  const folder = posix.join(sourceRoot, path);
  // The store uses the connection of MongooseModule.
  const isShared = store === 'mongoose' && application.has('@nestjs/mongoose');
  const isMySql = database === 'mysql' || database === 'mariadb';
  const context: TemplateValues = {
    flags: new Set([
      store,
      database,
      ...(isMySql ? ['mysql'] : []),
      ...(isShared ? ['connection'] : []),
      ...(prisma?.hasConfig ? ['prismaConfig'] : []),
      http,
      ...features,
    ]),
    values: {
      js: isEsm ? '.js' : '',
      site: (manifest.name ?? 'my-application').replaceAll(/[^\w .@/-]/g, ''),
      path,
      oauth: folder,
      sourceFolder: basename(sourceRoot),
      scope: `'${scopes.join(' ')}'`,
      scopes: scopes.map((scope) => `'${scope}'`).join(', '),
      dialect: database === 'postgres' ? 'postgresql' : database,
      ...(isMySql && { collation: EXACT_COLLATIONS[database]! }),
      kitDialect: database === 'postgres' ? 'postgresql' : isMySql ? 'mysql' : 'sqlite',
      ...(prisma && { prismaClient: clientImport(prisma, application, path), migration: prisma.migration }),
    },
  };
  const folders = store === 'none' ? ['api'] : ['server', store, ...(features.has('mcp') ? ['mcp'] : [])];
  const files = folders.flatMap((name) => Array.from(renderFolder(name, context)));
  return new Map(files.map(([name, text]) => [placeOf(name, sourceRoot, folder), text]));
}

/** Returns the path of a rendered file in the application. */
function placeOf(name: string, sourceRoot: string, folder: string): string {
  if (name.startsWith('oauth/')) return posix.join(folder, name.slice('oauth/'.length));
  return name.startsWith('test/') ? posix.join(posix.dirname(sourceRoot), name) : name;
}

/** Writes the names of the variables to `.env.example`, and plans the task that writes their values to `.env`. */
function writeEnvironment(tree: Tree, choices: Choices, context: SchematicContext): void {
  const keys = environmentKeys(choices);
  writeText(tree, '.env.example', appendKeys(readText(tree, '.env.example') ?? '', keys, false));
  const task = { name: 'run-schematic', options: { collection: null, name: 'secrets', options: { keys } } };
  context.addTask({ toConfiguration: () => task });
}

function addInstallTask(context: SchematicContext): void {
  const task = {
    name: 'node-package',
    options: { command: 'install', quiet: true, hideOutput: true, allowScripts: false },
  };
  context.addTask({ toConfiguration: () => task });
}
