/** Ends an attack that has nothing to attack in this application. */
export class NotApplicable extends Error {
  override name = 'NotApplicable';
}

/** Ends an attack that could not be carried out, for example because an honest request before it failed. */
export class Inconclusive extends Error {
  override name = 'Inconclusive';
}

/** Ends the lab, because the application or the time is exhausted. */
export class ApplicationStopped extends Inconclusive {
  override name = 'ApplicationStopped';
}

/** The guarded route requires scopes that the honest token lacks. RFC 6750 §3.1 */
export class ScopesRequired extends Inconclusive {
  constructor(
    message: string,
    readonly scopes: readonly string[],
  ) {
    super(message);
  }
}
