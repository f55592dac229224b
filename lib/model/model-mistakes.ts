const reportedMistakes = new WeakMap<object, Set<string>>();

/**
 * Warns the developer of a mistake in the model that older versions accepted, by a process warning. Each mistake is
 * reported once per model.
 */
export function warnOfModelMistake(model: object, mistake: string): void {
  const mistakes = reportedMistakes.get(model) ?? new Set();
  if (mistakes.has(mistake)) return;
  reportedMistakes.set(model, mistakes.add(mistake));
  process.emitWarning(`nest-oauth2: ${mistake}`);
}

/** The warning for a model that returns a client without `id`. Codes and refresh tokens cannot be matched to it. */
export const NO_ID =
  "the model's `getClient()` returned a client without `id`, so its codes and refresh tokens are refused: return the `id`";
export const NO_GRANTS =
  "the model's `getClient()` returned a client without `grants`, so its requests are refused: return the list of its grant types";
/** The warning for a model that returns a saved token without expiry. `authenticate()` would reject it as expired. */
export const NO_EXPIRY =
  "the model's `saveToken()` returned a token without `accessTokenExpiresAt`: `getAccessToken()` must return it as a Date, or all requests are refused";
/** The warning for a model that returns `undefined` instead of the claims of a user. */
export const NO_CLAIMS =
  "the model's `getClaims()` returned nothing, so clients get no claims but `sub`: return an object such as `{ name, email }`, or `{}` for a user without claims. Is a `return` or an `await` missing?";
/** The warning for users in a column whose collation ignores accents. */
export const INEXACT_NAMES =
  '`findByUsername()` has found a user by another spelling than the stored one, so the column of the names ignores accents: a ' +
  'person who owns `exàmple.com` could sign up or reset a password for `example.com`. Give the column a collation that ' +
  'compares exactly, such as `utf8mb4_nopad_bin` on MariaDB or `utf8mb4_0900_bin` on MySQL';
