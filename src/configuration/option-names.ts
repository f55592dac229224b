import { InvalidArgumentError, type OAuth2ServerOptions } from '../../lib/index.js';
import type {
  OAuth2ModuleAsyncOptions,
  OAuth2Options,
  OAuth2Registration,
} from '../interfaces/oauth2-module-options.interface.js';

type Names<T> = Record<keyof T, true>;

const ENGINE: Names<Omit<OAuth2ServerOptions, 'model'>> = {
  accessTokenLifetime: true,
  addAcceptedScopesHeader: true,
  addAuthorizedScopesHeader: true,
  allowBearerTokensInQueryString: true,
  allowEmptyState: true,
  allowExtendedTokenAttributes: true,
  alwaysIssueNewRefreshToken: true,
  authenticateHandler: true,
  authorizationCodeLifetime: true,
  enablePlainPKCE: true,
  events: true,
  extendedGrantTypes: true,
  issuer: true,
  refreshTokenLifetime: true,
  refreshTokenReuseInterval: true,
  requireClientAuthentication: true,
  requirePKCE: true,
  scope: true,
  scopeFormat: true,
};

const OPTIONS: Names<OAuth2Options> = { ...ENGINE, model: true, interaction: true, secret: true };

const REGISTRATION: Names<OAuth2Registration> = {
  controllers: true,
  extraProviders: true,
  imports: true,
  interaction: true,
  isGlobal: true,
  model: true,
  paths: true,
};

const ASYNC: Names<OAuth2ModuleAsyncOptions> = {
  ...REGISTRATION,
  inject: true,
  useClass: true,
  useExisting: true,
  useFactory: true,
};

/** Where options are given, and which are known there. */
export const KNOWN_OPTIONS = {
  forRoot: Object.keys({ ...OPTIONS, ...REGISTRATION }),
  forRootAsync: Object.keys(ASYNC),
  factory: Object.keys(OPTIONS),
};

/** The part of the options that is the engine's. */
export function engineOptions(options: OAuth2Options): Omit<OAuth2ServerOptions, 'model'> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(ENGINE, name)));
}

/** Refuses names that nobody reads: a misspelt option would silently keep its default. */
export function checkNames(given: object, place: keyof typeof KNOWN_OPTIONS): void {
  const known = KNOWN_OPTIONS[place];
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) throw new InvalidArgumentError(`Invalid argument: ${unknown(name, place)}`);
  }
}

function unknown(name: string, place: keyof typeof KNOWN_OPTIONS): string {
  if (place === 'forRootAsync' && KNOWN_OPTIONS.factory.includes(name)) {
    return `the option \`${name}\` of OAuth2Module.forRootAsync() belongs into what the factory returns`;
  }
  if (place === 'factory' && KNOWN_OPTIONS.forRootAsync.includes(name)) {
    return `the option \`${name}\` must be known at once: give it to OAuth2Module.forRootAsync() beside the factory`;
  }
  const [nearest] = KNOWN_OPTIONS[place].toSorted((a, b) => distance(name, a) - distance(name, b));
  return `unknown option \`${name}\` of OAuth2Module; the nearest known one is \`${nearest}\``;
}

/** How many letters must be typed, deleted or replaced to make one name of the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of from.toLowerCase().split('').entries()) {
    const above = row;
    row = [i + 1];
    for (const [j, wanted] of to.toLowerCase().split('').entries()) {
      row.push(Math.min(above[j + 1]! + 1, row[j]! + 1, above[j]! + (letter === wanted ? 0 : 1)));
    }
  }
  return row.at(-1)!;
}
