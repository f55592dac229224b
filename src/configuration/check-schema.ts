import { type SchemaModel, TemporarilyUnavailableError } from '../../lib/index.js';
import { logServerError } from '../operations/error-log.js';

/**
 * Verifies the database schema of a store, if the model has a method `checkSchema()`. If the database cannot be
 * reached, the error is logged and the application starts.
 * @throws {Error} If the schema is not the one that the store needs.
 */
export async function checkSchema(model: object | undefined): Promise<void> {
  const { checkSchema: check } = (model ?? {}) as Partial<SchemaModel>;
  if (typeof check !== 'function') return;
  try {
    await check.call(model);
  } catch (error) {
    if (!(error instanceof TemporarilyUnavailableError)) throw error;
    logServerError(error);
  }
}
