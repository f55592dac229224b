import { InvalidArgumentError } from '../../lib/index.js';
import type { OAuth2Options, OAuth2Registration } from '../interfaces/oauth2-module-options.interface.js';
import { checkNames } from './option-names.js';

const LIFETIMES = ['accessTokenLifetime', 'refreshTokenLifetime', 'authorizationCodeLifetime'] as const;

const CHOICES = { requirePKCE: ['public', 'all', 'none'], scopeFormat: ['string', 'array'] } as const;

/** A path of literal segments and `:parameters`. */
const PATH = /^\/?(?:[\w.~%-]+|:\w+)(?:\/(?:[\w.~%-]+|:\w+))*$/;

/** Checks what stands in `forRoot()`, or beside the factory of `forRootAsync()`. */
export function checkRegistration(registration: OAuth2Registration, method: 'forRoot' | 'forRootAsync'): void {
  checkNames(registration, method);
  const paths: Record<string, unknown> = { ...registration.paths };
  for (const [name, path] of Object.entries(paths)) {
    verify(
      name === 'authorize' || name === 'token',
      `unknown path \`paths.${name}\`: there are \`authorize\` and \`token\``,
    );
    const valid = path === undefined || (typeof path === 'string' && PATH.test(path));
    verify(valid, `the option \`paths.${name}\` must be a path such as 'oauth/${name}', without a query`);
  }
  const { authorize, token } = settlePaths(registration.paths);
  verify(authorize !== token, 'the options `paths.authorize` and `paths.token` must differ');
}

/** Checks what `forRoot()` or the factory of `forRootAsync()` says of the server itself. */
export function checkOptions(options: OAuth2Options): void {
  for (const name of LIFETIMES) {
    const given: unknown = options[name];
    const seconds = Number(given);
    const valid = given === undefined || (seconds > 0 && Number.isFinite(seconds));
    verify(valid, `the option \`${name}\` must be a positive number of seconds`);
  }
  for (const [name, choices] of Object.entries(CHOICES)) {
    const value = options[name as keyof typeof CHOICES];
    const valid = value === undefined || (choices as readonly string[]).includes(value);
    verify(valid, `the option \`${name}\` must be ${choices.map((choice) => `'${choice}'`).join(' or ')}`);
  }
  const { authenticateHandler: handler, issuer } = options;
  verify(
    !handler || typeof handler.handle === 'function',
    'the option `authenticateHandler` needs a method `handle()`',
  );
  const valid = issuer === undefined || (URL.canParse(issuer) && !/[?#]/.test(issuer));
  verify(valid, 'the option `issuer` must be a URL without query and fragment');
  checkGrantTypes(options);
}

function checkGrantTypes({ extendedGrantTypes = {} }: OAuth2Options): void {
  for (const [name, grantType] of Object.entries(extendedGrantTypes)) {
    verify(typeof grantType === 'function', `the grant type \`${name}\` in \`extendedGrantTypes\` must be a class`);
  }
}

/** The routes, defaults filled in. */
export function settlePaths(paths: OAuth2Registration['paths']) {
  return { authorize: text(paths?.authorize) ?? 'oauth/authorize', token: text(paths?.token) ?? 'oauth/token' };
}

const text = (path: unknown) => (typeof path === 'string' ? path.replace(/^\//, '') : undefined);

export function verify(valid: boolean, fault: string): asserts valid {
  if (!valid) throw new InvalidArgumentError(`Invalid argument: ${fault}`);
}
