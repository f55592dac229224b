import { InvalidArgumentError } from '../errors/index.js';

/** What became of the methods that a server had in 2.x. */
const METHODS: Readonly<Record<string, string>> = {
  authorise: 'is called `authenticate()` now',
  authCodeGrant: 'is called `authorize()` now',
  grant: 'is called `token()` now',
  errorHandler: 'is gone: every operation rejects with an `OAuthError`, and has written the answer to its `Response`',
  lockdown: 'is gone: call `authenticate()` for each route that is to be protected',
};

/** What became of the options that 3.x stopped reading. */
const OPTIONS: Readonly<Record<string, string>> = {
  authCodeLifetime: 'is called `authorizationCodeLifetime` now',
  grants: '`getClient()` returns the `grants` of each client',
  debug: 'the `inner` property of a rejection is the error behind it',
  clientIdRegex: '`getClient()` refuses a client by a falsy value or an error',
  passthroughErrors: 'every operation rejects with its error',
  continueAfterResponse: 'the host sends the `Response`, and goes on as it likes',
};

/** Gives a server class the method names of 2.x, each of which says what took its place. */
export function rejectClassicNames(prototype: object): void {
  for (const [name, fate] of Object.entries(METHODS)) {
    const value = (): never => {
      throw new InvalidArgumentError(`Invalid argument: \`${name}()\` of 2.x ${fate}`);
    };
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
  }
}

/** Returns what replaces an option of oauth2-server 2.x that has no effect; `undefined` for any other name. */
export function removedOption(name: string): string | undefined {
  return Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
}

/** Tells the operator of options that are given and do nothing, in one process warning. */
export function warnOfRemovedOptions(options: object): void {
  const removed = Object.keys(OPTIONS).filter((name) => Object.hasOwn(options, name));
  if (removed.length === 0) return;
  const fates = removed.map((name) => `\`${name}\` (${OPTIONS[name]})`);
  process.emitWarning(`These options of oauth2-server 2.x have no effect: ${fates.join(', ')}`, {
    type: 'OAuth2ServerWarning',
    code: 'OAUTH2_REMOVED_OPTIONS',
  });
}
