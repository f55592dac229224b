import { readApplication } from './application.js';
import { type AddOptions, type Choices, readChoices } from './choices.js';
import { appendKeys, environmentKeys } from './environment.js';
import { ignoreFiles } from './ignored-files.js';
import { extendManifest } from './manifest.js';
import { additionsOf } from './additions.js';
import { nextSteps } from './next-steps.js';
import { connectModule } from './connect-module.js';
import { connectJest, testCommand } from './connect-jest.js';
import { connectMain } from './connect-main.js';
import { acceptsExisting } from './existing/accept-existing.js';
import { extendSchema } from './existing/extend-schema.js';
import { readSettings, type Settings } from './existing/settings.js';
import { filesOf } from './files.js';
import { ACCOUNTS, USERS, writePrismaSchema } from './prisma-schema.js';
import { readText, type Rule, type SchematicContext, type Tree, writeText } from './tree.js';
import { createFiles, planFiles } from './write-files.js';

/** `nest add nest-oauth2`: adds an authorization server, or the guard of an API, to an application. */
export function add(options: AddOptions): Rule {
  return async (tree, context) => {
    const application = readApplication(tree, options.sourceRoot);
    const isAccepted = await acceptsExisting(tree, application, options, context.logger);
    const choices = readChoices({ ...options, existing: isAccepted }, application, tree);
    const settings = readSettings(tree, application.sourceRoot);
    const plan = await planFiles(tree, filesOf(tree, application, choices, settings));
    if (plan.changed.length > 0) {
      context.logger.warn(
        `Nothing was written, because these files exist with another text:\n  ${plan.changed.join('\n  ')}\n` +
          'The command never replaces a file. Keep your files, or move them away and run the command again. The option ' +
          '--path selects another folder, and another name of the test.',
      );
      return;
    }
    createFiles(tree, plan);
    const { database, prisma, existing, features } = choices;
    const users = features.has('accounts') ? ACCOUNTS : USERS;
    if (prisma) writePrismaSchema(tree, prisma, application, { database, users: existing ? undefined : users });
    if (existing) extendSchema(tree, existing, context.logger);
    writeEnvironment(tree, choices, settings, context);
    ignoreFiles(tree, application, choices);
    connectModule(tree, application, choices, context.logger);
    connectMain(tree, application, choices, context.logger);
    connectJest(tree, application, choices);
    const isAdded = extendManifest(tree, additionsOf(application, choices));
    if (isAdded && !options.skipInstall) addInstallTask(context);
    const skippedInstall = isAdded && options.skipInstall === true;
    if (plan.created.size === 0) return;
    context.logger.info(nextSteps(choices, settings, { skippedInstall, test: testCommand(application, choices) }));
  };
}

/** Writes the names of the variables to `.env.example`, and plans the task that writes their values to `.env`. */
function writeEnvironment(tree: Tree, choices: Choices, settings: Settings, context: SchematicContext): void {
  const keys = environmentKeys(choices, settings);
  writeText(tree, '.env.example', appendKeys(readText(tree, '.env.example') ?? '', keys, false));
  const options = { keys, file: settings.envFile };
  const task = { name: 'run-schematic', options: { collection: null, name: 'secrets', options } };
  context.addTask({ toConfiguration: () => task });
}

function addInstallTask(context: SchematicContext): void {
  const task = {
    name: 'node-package',
    options: { command: 'install', quiet: true, hideOutput: true, allowScripts: false },
  };
  context.addTask({ toConfiguration: () => task });
}
