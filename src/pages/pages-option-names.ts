import { assertConfig, assertKnownOptions, isScopeValue, signInClaims } from '../../lib/internal.js';
import { isObject } from '../configuration/is-object.js';
import { localPath } from './local-path.js';
import { defaultPages } from './default/default-pages.js';
import type { PageFunctions } from './render/page-functions.js';

const PAGE_NAMES = Object.fromEntries(Object.keys(defaultPages).map((name) => [name, true])) as {
  readonly [K in keyof PageFunctions]: true;
};

/** The options of `pages()` whose values are verified here, in addition to the names of all options. */
interface Checked {
  render?: Partial<PageFunctions>;
  signOutEndsGrants?: boolean;
  applications?: boolean;
  account?: boolean;
  password?: boolean;
  devices?: boolean;
  optionalScopes?: unknown;
  sessions?: unknown;
  languages?: unknown;
  scopes?: unknown;
}

/**
 * Verifies the names of the options of `pages()` and the types of some options.
 * @throws {InvalidArgumentError} If an option is unknown or has the wrong type.
 */
export function verifyPagesOptionNames<O extends Checked>(
  options: O,
  names: { readonly [K in keyof O]-?: true },
): void {
  assertKnownOptions(options, names, '`pages()`');
  const { render } = options;
  if (render !== undefined) {
    assertKnownOptions(render, PAGE_NAMES, '`render` of `pages()`');
    const invalid = Object.entries(render).find(([, page]) => page !== undefined && typeof page !== 'function');
    assertConfig(
      !invalid,
      `the page \`${invalid?.[0]}\` in \`render\` of \`pages()\` must be a function that returns HTML`,
    );
  }
  for (const name of ['signOutEndsGrants', 'applications', 'account', 'password', 'devices'] as const) {
    const value: unknown = options[name];
    assertConfig(value === undefined || typeof value === 'boolean', `\`${name}\` of \`pages()\` must be true or false`);
  }
  const { optionalScopes = false } = options;
  assertConfig(
    typeof optionalScopes === 'boolean' || (Array.isArray(optionalScopes) && optionalScopes.every(isScopeValue)),
    '`optionalScopes` of `pages()` must be true, false or a list of scopes',
  );
  for (const name of ['sessions', 'languages', 'scopes'] as const) {
    const value: unknown = options[name];
    assertConfig(value === undefined || isObject(value), `\`${name}\` of \`pages()\` must be an object`);
  }
}

/** Whether an option is an https URL. */
const isHttps = (url: unknown) => typeof url === 'string' && URL.canParse(url) && new URL(url).protocol === 'https:';

/** Whether an option consists of a valid `acr` and `amr`. */
export function isProof(signIn: object): boolean {
  try {
    return (
      isObject(signIn) && Object.keys(signInClaims(signIn)).length === Object.keys(signIn).length && !('sid' in signIn)
    );
  } catch {
    return false;
  }
}

/**
 * Verifies that sessions of the application have all methods.
 * @throws {InvalidArgumentError} If one is missing.
 */
export function verifySessions(sessions: object | undefined): void {
  const members = (sessions ?? {}) as Readonly<Record<string, unknown>>;
  for (const method of ['find', 'start', 'end']) {
    assertConfig(!sessions || typeof members[method] === 'function', `\`sessions\` must have a method \`${method}()\``);
  }
}

/** The options of `pages()` that are paths. */
interface Paths {
  home: string;
  login: string | undefined;
  signUp: string | undefined;
  forgotPassword: string | undefined;
}

/**
 * Verifies the options of `pages()` that are paths on this server.
 * @throws {InvalidArgumentError} If one is not.
 */
export function verifyPaths({ home, login, signUp, forgotPassword }: Paths): void {
  assertConfig(localPath(home) !== undefined, '`home` must be a path on this server, such as `/`');
  assertConfig(
    login === undefined || localPath(login) !== undefined,
    '`login` must be a path on this server, such as `/login`',
  );
  assertConfig(
    signUp === undefined || localPath(signUp) !== undefined,
    '`signUp` must be a path on this server, such as `/sign-up`',
  );
  assertConfig(
    forgotPassword === undefined || localPath(forgotPassword) !== undefined || isHttps(forgotPassword),
    '`forgotPassword` must be a path on this server, such as `/forgot-password`, or an https URL',
  );
}
