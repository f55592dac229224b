import { InvalidArgumentError } from '../errors/index.js';

/** The server methods of version 2.x, each with the second part of an error message: what replaced the method. */
const METHODS: Readonly<Record<string, string>> = {
  authorise: 'is called `authenticate()` now',
  authCodeGrant: 'is called `authorize()` now',
  grant: 'is called `token()` now',
  errorHandler:
    'was removed: every operation rejects with an `OAuthError`, after it has written the error to its `Response`',
  lockdown: 'was removed: call `authenticate()` for each protected route',
};

/** The options that have no effect since version 3.x, each with what replaced it. */
const OPTIONS: Readonly<Record<string, string>> = {
  authCodeLifetime: 'is called `authorizationCodeLifetime` now',
  grants: '`getClient()` returns the `grants` of each client instead',
  debug: 'read the `inner` property of a rejection instead',
  clientIdRegex: 'refuse the client in `getClient()` instead, by a falsy value or an error',
  passthroughErrors: 'every operation rejects with its error instead',
  continueAfterResponse: 'the application sends the `Response` and continues as it needs',
};

/**
 * Adds the method names of version 2.x to a server class. Calling one of them throws an error that names its
 * replacement.
 */
export function rejectClassicNames(prototype: object): void {
  for (const [name, fate] of Object.entries(METHODS)) {
    const value = (): never => {
      throw new InvalidArgumentError(`Invalid argument: \`${name}()\` of 2.x ${fate}`);
    };
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
  }
}

/** Returns the replacement of an option of oauth2-server 2.x that has no effect. `undefined` for any other name. */
export function removedOption(name: string): string | undefined {
  return Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
}

/** Warns of options of oauth2-server 2.x that have no effect, in a single process warning. */
export function warnOfRemovedOptions(options: object): void {
  const removed = Object.keys(OPTIONS).filter((name) => Object.hasOwn(options, name));
  if (removed.length === 0) return;
  const fates = removed.map((name) => `\`${name}\` (${OPTIONS[name]})`);
  process.emitWarning(`These options of oauth2-server 2.x have no effect: ${fates.join(', ')}`, {
    type: 'OAuth2ServerWarning',
    code: 'OAUTH2_REMOVED_OPTIONS',
  });
}
