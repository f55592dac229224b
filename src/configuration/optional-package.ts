/**
 * Returns a function that loads an optional package once, when it is needed. It loads the package again if that failed.
 * @param explain Returns the error to throw for a package that cannot be loaded.
 */
export function optionalPackage<T>(load: () => Promise<T>, explain: (cause: Error) => Error): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () =>
    (loaded ??= load().catch((cause: unknown) => {
      loaded = undefined;
      throw explain(cause as Error);
    }));
}
