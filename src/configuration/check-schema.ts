import { type SchemaModel, TemporarilyUnavailableError } from '../../lib/index.js';
import { logServerError } from '../operations/error-log.js';

/**
 * Verifies the schema of a model's store, if the model has `checkSchema()`. A database that cannot be reached is logged and
 * does not prevent the start.
 *
 * @throws {Error} If the schema is not the one that the model needs.
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
