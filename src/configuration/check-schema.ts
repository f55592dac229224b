import { Logger } from '@nestjs/common';

import { type SchemaModel, TemporarilyUnavailableError } from '../../lib/index.js';
import { logServerError } from '../operations/error-log.js';

const logger = new Logger('OAuth2');

/**
 * Verifies the database schema of a store, if the model has a method `checkSchema()`. If the database cannot be
 * reached, the error is logged and the application starts. The warnings that it returns are logged.
 * @throws {Error} If the schema is not the one that the store needs.
 */
export async function checkSchema(model: object | undefined): Promise<void> {
  const { checkSchema: check } = (model ?? {}) as Partial<SchemaModel>;
  if (typeof check !== 'function') return;
  try {
    const warnings: unknown = await check.call(model);
    if (Array.isArray(warnings)) for (const warning of warnings) logger.warn(String(warning));
  } catch (error) {
    if (!(error instanceof TemporarilyUnavailableError)) throw error;
    logServerError(error);
  }
}
