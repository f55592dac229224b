import { Logger } from '@nestjs/common';
import type { Model, ServerContext } from '../../lib/index.js';

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
