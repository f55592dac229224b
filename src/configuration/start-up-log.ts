import { Logger } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';

import type { Model, ServerContext } from '../../lib/index.js';
import { INTERACTION } from '../interaction/interactive-feature.js';
import { needsMaintenance, providerNames } from '../module/provider-names.js';

const logger = new Logger('OAuth2');

/**
 * Logs a warning if the authorization endpoint cannot sign users in, and logs the grant types that the model does not
 * support.
 */
export function logStartUp({ options: { model }, grants }: ServerContext, asksUsers: boolean): void {
  if (!asksUsers && !lacks(model, 'saveAuthorizationCode')) {
    logger.warn(
      'The authorization endpoint cannot sign users in: add `pages()` to `features`, or set `interaction` or ' +
        '`authenticateHandler`. If no client uses the authorization code grant, set `interaction: null`.',
    );
  }
  const unsupported = [...grants].flatMap(([name, { requires = [] }]) => describeUnsupported(model, name, requires));
  if (unsupported.length > 0) logger.log(`Grant types that the model does not support: ${unsupported.join('; ')}.`);
}

function describeUnsupported(model: Model, grantType: string, requires: readonly string[]): string[] {
  const missing = requires.filter((method) => lacks(model, method)).map((method) => `\`${method}()\``);
  return missing.length === 0 ? [] : [`\`${grantType}\` needs ${missing.join(', ')}`];
}

/** Whether the model has no method of this name. */
const lacks = (model: Model, method: string): boolean =>
  typeof (model as unknown as Record<string, unknown>)[method] !== 'function';

/** Logs that the `interaction` of the application replaces the login and consent pages of a feature such as `pages()`. */
export function logReplacedPages(server: ServerContext): void {
  if (server.find(INTERACTION) === undefined) return;
  logger.log(
    'The option `interaction` replaces the login and consent of `pages()`: remove `interaction` to use the pages, or remove `pages()`.',
  );
}

/** Logs in production that no part of the application deletes the expired records of the store. */
export function logMissingMaintenance({ options: { model } }: ServerContext, modules: ModulesContainer): void {
  const store = model.constructor?.name ?? '';
  if (process.env['NODE_ENV'] !== 'production' || !needsMaintenance(store)) return;
  if (providerNames(modules).has('OAuth2Maintenance')) return;
  logger.log(
    `Nothing in this application deletes the expired records of \`${store}\`, so its tables grow: add \`OAuth2Maintenance\` to the ` +
      '`providers` of a module. If another process calls `prune()`, ignore this.',
  );
}
