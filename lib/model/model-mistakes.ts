const reportedMistakes = new WeakMap<object, Set<string>>();

/** Tells the developer, once for each model, of a mistake in it that older versions let pass: by a warning of the process. */
export function warnOfModelMistake(model: object, mistake: string): void {
  const mistakes = reportedMistakes.get(model) ?? new Set();
  if (mistakes.has(mistake)) return;
  reportedMistakes.set(model, mistakes.add(mistake));
  process.emitWarning(`nest-oauth2: ${mistake}`);
}

/** Of clients whose codes and refresh tokens nobody could match. */
export const NO_ID =
  "the model's `getClient()` returned a client without `id`: its codes and refresh tokens will be refused";
export const NO_GRANTS =
  "the model's `getClient()` returned a client without `grants`, the list of what it may ask for: its requests are refused";
/** Of tokens that the guard could only take for expired. */
export const NO_EXPIRY =
  "the model's `saveToken()` returned a token without `accessTokenExpiresAt`: `getAccessToken()` must return it, as a Date, or no request is let in";
