import type { OAuth2ServerOptions } from '../../lib/index.js';
import type {
  OAuth2ModuleAsyncOptions,
  OAuth2Options,
  OAuth2Registration,
} from '../interfaces/oauth2-module-options.interface.js';
import {
  BOOLEAN,
  CLASS,
  FUNCTION,
  GIVEN,
  GRANT_BOOLEANS,
  GRANT_CLASSES,
  having,
  INJECTION_TOKEN,
  ISSUER,
  type Kind,
  LIST,
  oneOf,
  SCOPE,
  SECONDS,
  SECONDS_OR_NONE,
  TEXT,
} from './option-kinds.js';
import { CORS } from './cors.js';
import { FEATURES } from './features.js';
import { PATHS } from './paths.js';

/** A kind for every option that its type knows: the types see to it that none is left out. */
type Kinds<T> = Record<keyof T, Kind>;

const ENGINE: Kinds<Omit<OAuth2ServerOptions, 'model'>> = {
  accessTokenLifetime: SECONDS,
  addAcceptedScopesHeader: BOOLEAN,
  addAuthorizedScopesHeader: BOOLEAN,
  allowBearerTokensInQueryString: BOOLEAN,
  allowEmptyState: BOOLEAN,
  allowExtendedTokenAttributes: BOOLEAN,
  alwaysIssueNewRefreshToken: BOOLEAN,
  authenticateHandler: having('handle'),
  authorizationCodeLifetime: SECONDS,
  cors: CORS,
  enablePlainPKCE: BOOLEAN,
  events: having('emit'),
  extendedGrantTypes: GRANT_CLASSES,
  grantLifetime: SECONDS_OR_NONE,
  issuer: ISSUER,
  refreshTokenLifetime: SECONDS,
  refreshTokenReuseInterval: SECONDS_OR_NONE,
  requireClientAuthentication: GRANT_BOOLEANS,
  requirePKCE: oneOf('public', 'all', 'none'),
  scope: SCOPE,
  scopeFormat: oneOf('string', 'array'),
};

/** Whether they are instances by now is seen when they are used. */
const SETTLED: Kind = () => undefined;

const OPTIONS: Kinds<OAuth2Options> = { ...ENGINE, model: SETTLED, interaction: SETTLED, secret: TEXT };

const REGISTRATION: Kinds<OAuth2Registration> = {
  controllers: BOOLEAN,
  extraProviders: LIST,
  features: FEATURES,
  imports: LIST,
  interaction: GIVEN,
  isGlobal: BOOLEAN,
  model: GIVEN,
  paths: PATHS,
};

const ASYNC: Kinds<OAuth2ModuleAsyncOptions> = {
  ...REGISTRATION,
  inject: LIST,
  useClass: CLASS,
  useExisting: INJECTION_TOKEN,
  useFactory: FUNCTION,
};

/** Where options are given, and which are known there. */
export const TABLES = { forRoot: { ...OPTIONS, ...REGISTRATION }, forRootAsync: ASYNC, factory: OPTIONS };
export type Place = keyof typeof TABLES;

/** The part of the options that is the engine's. */
export function engineOptions(options: OAuth2Options): Omit<OAuth2ServerOptions, 'model'> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(ENGINE, name)));
}
