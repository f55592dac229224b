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
  const { cause } = (error ?? {}) as { cause?: { code?: unknown } };
  return cause?.code === undefined ? error : cause;
}
