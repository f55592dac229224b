import { accepts, findUnknownOption, OBJECT, SCOPES, signInClaims, type ValueCheck } from '../../lib/internal.js';
import type { SignIn } from '../../lib/index.js';
import { isObject } from '../configuration/is-object.js';
import { localPath } from './local-path.js';
import { defaultPages } from './default/default-pages.js';
import type { PageFunctions } from './render/page-functions.js';
import type { Sessions } from './sessions/sessions.js';

const PAGE_NAMES = Object.fromEntries(Object.keys(defaultPages).map((name) => [name, true])) as {
  readonly [K in keyof PageFunctions]: true;
};

/** Accepts the option `render` of `pages()`. */
export const RENDER: ValueCheck<Partial<PageFunctions>> = (value) => {
  const unknown = findUnknownOption(value as PageFunctions, PAGE_NAMES, '`render` of `pages()`');
  const pages = isObject(value) ? Object.entries(value) : [];
  const invalid = pages.find(([, page]) => page !== undefined && typeof page !== 'function');
  return unknown === undefined && invalid
    ? `the page \`${invalid[0]}\` in \`render\` of \`pages()\` must be a function that returns HTML`
    : unknown;
};

/** Accepts the option `sessions` of `pages()`: an object with all methods. */
export const SESSIONS: ValueCheck<Sessions> = (value, name, owner) => {
  const missing = isObject(value) && ['find', 'start', 'end'].find((method) => typeof value[method] !== 'function');
  return missing ? `\`${name}\` of ${owner} must have a method \`${missing}()\`` : OBJECT(value, name, owner);
};

/** Returns the check of a path on this server. */
export const pathSuchAs = (example: string): ValueCheck<string> =>
  accepts(`a path on this server, such as \`${example}\``, (value) => localPath(value) !== undefined);

/** Accepts a path on this server, and https URLs. */
export const PATH_OR_URL: ValueCheck<string> = accepts(
  'a path on this server, such as `/forgot-password`, or an https URL',
  (value) => localPath(value) !== undefined || isHttps(value),
);

/** Accepts `true`, `false` and lists of scopes. */
export const OPTIONAL_SCOPES: ValueCheck<boolean | readonly string[]> = (value, name, owner) =>
  Array.isArray(value)
    ? SCOPES(value, name, owner)
    : accepts('true, false or a list of scopes', (one) => typeof one === 'boolean')(value, name, owner);

/** Accepts the `acr` and `amr` of a login by password. */
export const SIGN_IN: ValueCheck<Pick<SignIn, 'acr' | 'amr'>> = accepts(
  '`{ acr, amr }`, a string and a list of strings',
  (value) => isObject(value) && isProof(value),
);

/** Whether an option is an https URL. */
const isHttps = (url: unknown) => typeof url === 'string' && URL.canParse(url) && new URL(url).protocol === 'https:';

/** Whether an option consists of a valid `acr` and `amr`. */
function isProof(signIn: object): boolean {
  try {
    return Object.keys(signInClaims(signIn)).length === Object.keys(signIn).length && !('sid' in signIn);
  } catch {
    return false;
  }
}
