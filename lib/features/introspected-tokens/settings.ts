import { assertConfig } from '../../errors/configuration-error.js';
import { isObject } from '../../http/is-object.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import {
  accepts,
  acceptsOptions,
  AUDIENCE,
  COUNT,
  FUNCTION,
  oneOfTexts,
  POSITIVE_TIMER_SECONDS,
  SECURE_URL,
  TEXT,
  TIMER_SECONDS,
} from '../../options/value-checks.js';
import type { IntrospectionResponseReader } from './response-reader.js';

/** The client credentials of this API at the authorization server. RFC 7662 §2.1 */
export interface IntrospectionCredentials {
  id: string;
  secret: string;
  /**
   * The client authentication method. If omitted, a method from the metadata of the authorization server, preferably
   * `client_secret_basic`. RFC 6749 §2.3.1
   */
  method?: ClientSecretMethod;
}

export type ClientSecretMethod = 'client_secret_basic' | 'client_secret_post';

/** The limits of the cache for introspection results. */
export interface IntrospectionCache {
  /**
   * Seconds for which a valid token is cached, but not beyond its expiry. A revoked token is accepted until then. `0`
   * disables caching of valid tokens. Default: `30`.
   */
  lifetime?: number;
  /** Seconds for which an invalid token is cached and rejected. Default: `5`. */
  negativeLifetime?: number;
  /** Maximum number of cached valid tokens, and of cached invalid tokens. Default: `10000`. */
  size?: number;
}

/** The options of `new IntrospectedTokens()`. */
export interface IntrospectedTokensOptions {
  /**
   * The issuer of the authorization server, whose metadata contains the introspection endpoint. Required unless
   * `introspectionEndpoint` is set. Tokens with another `iss` are rejected. RFC 8414 §3
   */
  issuer?: string;
  /**
   * The introspection endpoint, if the authorization server has no metadata. If `issuer` is set too, `issuer` is only
   * compared with the `iss` of tokens. RFC 7662 §2
   */
  introspectionEndpoint?: string;
  credentials: IntrospectionCredentials;
  /**
   * The resource URI of this API, or several. Tokens for other resources, or for none, are rejected. `null` accepts every
   * token of the authorization server: use it only if the server serves this API alone, or if `resourceIndicators()`
   * verifies the resource. RFC 8707 §2
   */
  audience: string | readonly string[] | null;
  cache?: IntrospectionCache;
  /** Seconds to wait for the authorization server before the response is 503. Default: `3`. */
  timeout?: number;
  /**
   * Maximum number of concurrent requests to the authorization server. Eight times as many can wait, and further ones
   * fail with 503. Default: `16`.
   */
  concurrency?: number;
  /**
   * A function to use instead of the `fetch` of Node.js, for example to use a proxy or your own certificate authority.
   */
  fetch?: typeof fetch;
  /** Reads signed introspection responses: `signedResponses()`. If omitted, responses are plain JSON. RFC 9701 §4 */
  responses?: IntrospectionResponseReader;
}

const NAME = 'IntrospectedTokens';
const CREDENTIALS_OF = 'the `id` and the `secret` of a client that may introspect tokens';

const CACHE = optionTable(`\`cache\` of ${NAME}`, {
  lifetime: { check: TIMER_SECONDS, default: 30 },
  negativeLifetime: { check: TIMER_SECONDS, default: 5 },
  size: { check: COUNT, default: 10_000 },
} satisfies OptionRows<IntrospectionCache>);

const CREDENTIALS = optionTable(`\`credentials\` of ${NAME}`, {
  id: { check: TEXT, required: CREDENTIALS_OF },
  secret: { check: TEXT, required: CREDENTIALS_OF },
  method: { check: oneOfTexts('client_secret_basic', 'client_secret_post') },
} satisfies OptionRows<IntrospectionCredentials>);

const OPTIONS = optionTable(NAME, {
  issuer: { check: SECURE_URL },
  introspectionEndpoint: { check: SECURE_URL },
  credentials: { check: acceptsOptions<IntrospectionCredentials>(CREDENTIALS), required: CREDENTIALS_OF },
  audience: {
    check: (...given) => (given[0] === null ? undefined : AUDIENCE(...given)),
    required: 'the resource URI of this API, or `null` to accept tokens for every API of the authorization server',
  },
  cache: { check: acceptsOptions<IntrospectionCache>(CACHE), default: {} },
  timeout: { check: POSITIVE_TIMER_SECONDS, default: 3 },
  concurrency: { check: COUNT, default: 16 },
  fetch: { check: FUNCTION, default: (...request: Parameters<typeof fetch>) => fetch(...request) },
  responses: {
    check: accepts<IntrospectionResponseReader>(
      'the result of `signedResponses()`',
      (value) => isObject(value) && typeof value['read'] === 'function',
    ),
  },
} satisfies OptionRows<IntrospectedTokensOptions>);

/** The validated options of `new IntrospectedTokens()`, with their defaults. */
export type Settings = ReturnType<typeof settle>;

/**
 * Validates the options, and returns them with their defaults.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function settle(options: IntrospectedTokensOptions) {
  const settings = OPTIONS.read(options);
  const { issuer, introspectionEndpoint, audience, cache } = settings;
  assertConfig(
    issuer ?? introspectionEndpoint,
    `${NAME} requires the \`issuer\` of the authorization server, or its \`introspectionEndpoint\``,
  );
  assertConfig(!issuer || !/[?#]/.test(issuer), `\`issuer\` of ${NAME} must have no query and no fragment`);
  return { ...settings, issuer, audience: [audience ?? []].flat(), cache: CACHE.settle(cache) };
}
