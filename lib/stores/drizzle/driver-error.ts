/** Runs work. Rejects with the error of the driver, because the message of Drizzle contains the values. */
export async function unwrapped<T>(work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw driverError(error);
  }
}

/** Returns the error of the driver that an error of Drizzle wraps, or the error itself. */
export function driverError(error: unknown): unknown {
  const { cause, query } = (error ?? {}) as { cause?: { code?: unknown }; query?: unknown };
  // A driver reports a lost connection without a code. Only a DrizzleQueryError has the property `query`.
  return cause && (query !== undefined || cause.code !== undefined) ? cause : error;
}
