import { causesOf } from './causes.js';

/** The error codes after which a refresh token is never valid again. GitHub has its own. RFC 6749 §5.2 */
const FINAL: readonly unknown[] = ['invalid_grant', 'bad_refresh_token'];

/** Whether a provider has refused a refresh token, so that it is never valid again. */
export const isRefreshTokenRefused = (error: unknown): boolean =>
  causesOf(error).some((cause: { error?: unknown; body?: { error?: unknown } }) =>
    // GitHub responds with status 200, so the library reports an invalid response, whose body is the cause.
    [cause.error, cause.body?.error].some((code) => FINAL.includes(code)),
  );
