import { assertConfig } from '../../errors/configuration-error.js';
import {
  readAudience,
  readCount,
  isSecureUrl,
  isText,
  readSeconds,
  describeValue,
} from '../../remote/option-readers.js';
import type { AcceptedTokens } from '../../remote/token-claims.js';
import type { IntrospectionResponseReader } from './response-reader.js';
import { assertKnownOptions } from '../../options/unknown-option.js';

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

/** The validated options of `new IntrospectedTokens()`, with their defaults. */
export interface Settings
  extends
    Required<Omit<IntrospectedTokensOptions, 'issuer' | 'introspectionEndpoint' | 'audience' | 'cache' | 'responses'>>,
    AcceptedTokens {
  responses: IntrospectionResponseReader | undefined;
  introspectionEndpoint: string | undefined;
  cache: Required<IntrospectionCache>;
}

const NAME = 'IntrospectedTokens';
const METHODS: readonly unknown[] = [undefined, 'client_secret_basic', 'client_secret_post'];

/** The known options of `new IntrospectedTokens()`. */
const OPTIONS = {
  issuer: true,
  introspectionEndpoint: true,
  credentials: true,
  audience: true,
  cache: true,
  timeout: true,
  concurrency: true,
  fetch: true,
  responses: true,
} as const;

/** The known members of the option `cache`. */
const CACHE = { lifetime: true, negativeLifetime: true, size: true } as const;

/** The known members of the option `credentials`. */
const CREDENTIALS = { id: true, secret: true, method: true } as const;

/**
 * Validates the options, and returns them with their defaults.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function settle(options: IntrospectedTokensOptions): Settings {
  const { issuer, introspectionEndpoint, credentials, audience, cache, timeout, concurrency } = options ?? {};
  assertKnownOptions(options ?? {}, OPTIONS, '`IntrospectedTokens`');
  assertKnownOptions(cache ?? {}, CACHE, '`cache` of `IntrospectedTokens`');
  assertKnownOptions(credentials ?? {}, CREDENTIALS, '`credentials` of `IntrospectedTokens`');
  assertConfig(
    issuer ?? introspectionEndpoint,
    `${NAME} requires the \`issuer\` of the authorization server, or its \`introspectionEndpoint\``,
  );
  for (const [name, url] of Object.entries({ issuer, introspectionEndpoint })) {
    assertConfig(
      url === undefined || isSecureUrl(url),
      `\`${name}\` of ${NAME} must be an https URL (http only for this machine). Got ${describeValue(url)}`,
    );
  }
  assertConfig(!issuer || !/[?#]/.test(issuer), `\`issuer\` of ${NAME} must have no query and no fragment`);
  const { id, secret, method } = credentials ?? {};
  assertConfig(
    isText(id) && isText(secret),
    `${NAME} requires \`credentials\`: the \`id\` and the \`secret\` of a client that may introspect tokens`,
  );
  assertConfig(
    audience !== undefined,
    `${NAME} requires \`audience\`: the resource URI of this API, or \`null\` to accept tokens for every API of the authorization server`,
  );
  assertConfig(
    options.responses === undefined || typeof options.responses?.read === 'function',
    `\`responses\` of ${NAME} must be the result of \`signedResponses()\``,
  );
  assertConfig(
    METHODS.includes(method),
    `\`credentials.method\` of ${NAME} must be 'client_secret_basic' or 'client_secret_post'`,
  );
  return {
    issuer,
    introspectionEndpoint,
    credentials,
    audience: audience === null ? [] : readAudience(NAME, audience),
    cache: {
      lifetime: readSeconds(NAME, 'cache.lifetime', cache?.lifetime, { defaultValue: 30 }),
      negativeLifetime: readSeconds(NAME, 'cache.negativeLifetime', cache?.negativeLifetime, { defaultValue: 5 }),
      size: readCount(NAME, 'cache.size', cache?.size, 10_000),
    },
    timeout: readSeconds(NAME, 'timeout', timeout, { defaultValue: 3, minimum: 0.001 }),
    concurrency: readCount(NAME, 'concurrency', concurrency, 16),
    responses: options.responses,
    fetch: options.fetch ?? ((...request) => fetch(...request)),
  };
}
