import type { EventSink } from '../events/events.js';
import { CORS } from './cors.js';
import {
  BOOLEAN,
  GRANT_BOOLEANS,
  GRANT_CLASSES,
  having,
  ISSUER,
  type KindOf,
  oneOf,
  SCOPE,
  SECONDS,
  SECONDS_OR_NONE,
} from './kinds.js';
import type {
  AuthenticateDefaults,
  AuthenticateHandler,
  AuthorizeOptions,
  CommonOptions,
  EngineOptions,
  IssueOptions,
  TokenOptions,
} from './options.js';

/** An option: what is a good value, and which one it has when it is left out. */
interface Row<T> {
  readonly kind: KindOf<T>;
  readonly default?: T;
}

/** A row for each option, of the very type that its interface says. */
type Rows<T> = { readonly [K in keyof T]-?: Row<NonNullable<T[K]>> };

/** Which options each interface declares itself. */
interface Declared {
  authenticate: keyof AuthenticateDefaults;
  authorize: Exclude<keyof AuthorizeOptions, keyof IssueOptions>;
  token: Exclude<keyof TokenOptions, keyof IssueOptions>;
  issue: keyof IssueOptions;
  common: keyof CommonOptions;
}

/** What two of them declare: nothing. */
type Twice = { [I in keyof Declared]: Declared[I] & Declared[Exclude<keyof Declared, I>] }[keyof Declared];

/** All options of the engine except `model`, with their validation and default. A missing or repeated option does not compile. */
export const TABLE = {
  accessTokenLifetime: { kind: SECONDS, default: 3600 },
  addAcceptedScopesHeader: { kind: BOOLEAN, default: true },
  addAuthorizedScopesHeader: { kind: BOOLEAN, default: true },
  allowBearerTokensInQueryString: { kind: BOOLEAN, default: false },
  allowEmptyState: { kind: BOOLEAN },
  allowExtendedTokenAttributes: { kind: BOOLEAN, default: false },
  alwaysIssueNewRefreshToken: { kind: BOOLEAN, default: true },
  authenticateHandler: { kind: having<AuthenticateHandler>('handle') },
  authorizationCodeLifetime: { kind: SECONDS, default: 300 },
  cors: { kind: CORS },
  enablePlainPKCE: { kind: BOOLEAN, default: false },
  events: { kind: having<EventSink>('emit') },
  extendedGrantTypes: { kind: GRANT_CLASSES, default: {} },
  grantLifetime: { kind: SECONDS_OR_NONE, default: 0 },
  issuer: { kind: ISSUER },
  refreshTokenLifetime: { kind: SECONDS, default: 1209600 },
  refreshTokenReuseInterval: { kind: SECONDS_OR_NONE, default: 0 },
  requireClientAuthentication: { kind: GRANT_BOOLEANS, default: {} },
  requirePKCE: { kind: oneOf('public', 'all', 'none'), default: 'public' },
  scope: { kind: SCOPE },
  scopeFormat: { kind: oneOf('string', 'array'), default: 'string' },
} as const satisfies Rows<EngineOptions> & Record<Twice, never>;

/** The name of an option that has a default. */
export type Defaulted = {
  [K in keyof typeof TABLE]: (typeof TABLE)[K] extends { default: unknown } ? K : never;
}[keyof typeof TABLE];
