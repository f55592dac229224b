import type { EventSink } from '../events/events.js';
import { CORS } from './cors.js';
import {
  BOOLEAN,
  GRANT_BOOLEANS,
  GRANT_CLASSES,
  objectWithMethod,
  ISSUER,
  type OptionCheckOf,
  oneOf,
  REUSE_INTERVAL,
  SCOPE,
  SECONDS,
  SECONDS_OR_NONE,
} from './option-checks.js';
import type {
  AuthenticateDefaults,
  AuthenticateHandler,
  AuthorizeOptions,
  CommonOptions,
  EngineOptions,
  IssueOptions,
  TokenOptions,
} from './options.js';

/** An option: its validation, and its default. */
interface Row<T> {
  readonly check: OptionCheckOf<T>;
  readonly default?: T;
}

/** A row for each option of an interface, whose check has the type that the interface declares for the option. */
type Rows<T> = { readonly [K in keyof T]-?: Row<NonNullable<T[K]>> };

/** The names of the options that each interface declares itself, by a short name of the interface. */
interface OptionNames {
  authenticate: keyof AuthenticateDefaults;
  authorize: Exclude<keyof AuthorizeOptions, keyof IssueOptions>;
  token: Exclude<keyof TokenOptions, keyof IssueOptions>;
  issue: keyof IssueOptions;
  common: keyof CommonOptions;
}

/** The option names that more than one interface declares. If there is one, `ENGINE_OPTIONS` does not compile. */
type RepeatedName = {
  [I in keyof OptionNames]: OptionNames[I] & OptionNames[Exclude<keyof OptionNames, I>];
}[keyof OptionNames];

/**
 * All options of the engine except `model`, with their validation and default. A missing or repeated option does not
 * compile.
 */
export const ENGINE_OPTIONS = {
  accessTokenLifetime: { check: SECONDS, default: 3600 },
  addAcceptedScopesHeader: { check: BOOLEAN, default: true },
  addAuthorizedScopesHeader: { check: BOOLEAN, default: true },
  allowBearerTokensInQueryString: { check: BOOLEAN, default: false },
  allowEmptyState: { check: BOOLEAN },
  allowExtendedTokenAttributes: { check: BOOLEAN, default: false },
  alwaysIssueNewRefreshToken: { check: BOOLEAN, default: true },
  authenticateHandler: { check: objectWithMethod<AuthenticateHandler>('handle') },
  authorizationCodeLifetime: { check: SECONDS, default: 300 },
  cors: { check: CORS },
  enablePlainPKCE: { check: BOOLEAN, default: false },
  events: { check: objectWithMethod<EventSink>('emit') },
  extendedGrantTypes: { check: GRANT_CLASSES, default: {} },
  grantLifetime: { check: SECONDS_OR_NONE, default: 0 },
  issuer: { check: ISSUER },
  refreshTokenLifetime: { check: SECONDS, default: 1209600 },
  refreshTokenReuseInterval: { check: REUSE_INTERVAL, default: 0 },
  requireClientAuthentication: { check: GRANT_BOOLEANS, default: {} },
  requirePKCE: { check: oneOf('public', 'all', 'none'), default: 'public' },
  scope: { check: SCOPE },
  scopeFormat: { check: oneOf('string', 'array'), default: 'string' },
} as const satisfies Rows<EngineOptions> & Record<RepeatedName, never>;

/** The name of an option that has a default. */
export type Defaulted = {
  [K in keyof typeof ENGINE_OPTIONS]: (typeof ENGINE_OPTIONS)[K] extends { default: unknown } ? K : never;
}[keyof typeof ENGINE_OPTIONS];
