/** The error codes after which a refresh token is never valid again. GitHub has its own. RFC 6749 §5.2 */
const FINAL: readonly unknown[] = ['invalid_grant', 'bad_refresh_token'];

const MAX_CAUSES = 8;

/** Whether a provider has refused a refresh token, so that it is never valid again. */
export function isRefreshTokenRefused(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof cause === 'object' && cause !== null; depth += 1) {
    const {
      error: code,
      body,
      cause: next,
    } = cause as { error?: unknown; body?: { error?: unknown }; cause?: unknown };
    // GitHub responds with status 200, so the library reports an invalid response, whose body is the cause.
    if (FINAL.includes(code) || FINAL.includes(body?.error)) return true;
    cause = next;
  }
  return false;
}
