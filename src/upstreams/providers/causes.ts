/** Maximum number of returned causes, because a chain may have a cycle. */
const MAX_CAUSES = 8;

/** Returns an error and its causes. The libraries of providers wrap responses and errors in errors of their own. */
export function causesOf(error: unknown): readonly object[] {
  const causes: object[] = [];
  for (let cause = error; typeof cause === 'object' && cause !== null && causes.length < MAX_CAUSES;) {
    causes.push(cause);
    cause = (cause as { cause?: unknown }).cause;
  }
  return causes;
}
