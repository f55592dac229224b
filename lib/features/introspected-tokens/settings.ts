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

/** Who this API is to the authorization server. RFC 7662 §2.1 */
export interface IntrospectionCredentials {
  id: string;
  secret: string;
  /** How it proves that. Default: what the metadata of the server says, `client_secret_basic` first. RFC 6749 §2.3.1 */
  method?: ClientSecretMethod;
}

export type ClientSecretMethod = 'client_secret_basic' | 'client_secret_post';

/** What is remembered of the answers, and for how long. */
export interface IntrospectionCache {
  /** Seconds in which a good token is not asked for again: a revocation is seen that late. 0: never. Default: 30 */
  lifetime?: number;
  /** Seconds in which a token that is not good is refused without asking. Default: 5 */
  negativeLifetime?: number;
  /** How many good tokens are remembered, and as many that are not. Default: 10000 */
  size?: number;
}

/** What `new IntrospectedTokens()` takes. */
export interface IntrospectedTokensOptions {
  /** The issuer identifier of the authorization server, whose metadata says where it is asked. RFC 8414 §3 */
  issuer?: string;
  /** Where it is asked, if it has no metadata. With `issuer`, that one is then only compared with `iss`. RFC 7662 §2 */
  introspectionEndpoint?: string;
  credentials: IntrospectionCredentials;
  /**
   * The resource that this API is, or several: a token for another one is refused, and so is one for none. Left out: a token
   * may be for anything. RFC 8707 §2
   */
  audience?: string | readonly string[];
  cache?: IntrospectionCache;
  /** Seconds that a request waits for the authorization server; then it is 503. Default: 3 */
  timeout?: number;
  /** How many requests may be with the authorization server at once; eight times as many wait for them. Default: 16 */
  concurrency?: number;
  /** Instead of Node's own: for a proxy, or a certificate of your own. */
  fetch?: typeof fetch;
  /** Reads answers that are signed: `signedResponses()`. Left out: they are plain JSON. RFC 9701 §4 */
  answers?: IntrospectionResponseReader;
}

/** The same, settled and checked. */
export interface Settings
  extends
    Required<Omit<IntrospectedTokensOptions, 'issuer' | 'introspectionEndpoint' | 'audience' | 'cache' | 'answers'>>,
    AcceptedTokens {
  answers: IntrospectionResponseReader | undefined;
  introspectionEndpoint: string | undefined;
  cache: Required<IntrospectionCache>;
}

const NAME = 'IntrospectedTokens';
const METHODS: readonly unknown[] = [undefined, 'client_secret_basic', 'client_secret_post'];

/** What `new IntrospectedTokens()` takes, by name. */
const OPTIONS = {
  issuer: true,
  introspectionEndpoint: true,
  credentials: true,
  audience: true,
  cache: true,
  timeout: true,
  concurrency: true,
  fetch: true,
  answers: true,
} as const;

/** What its `cache` takes. */
const CACHE = { lifetime: true, negativeLifetime: true, size: true } as const;

/** What its `credentials` take. */
const CREDENTIALS = { id: true, secret: true, method: true } as const;

/** @throws InvalidArgumentError with a sentence for what cannot work */
export function settle(options: IntrospectedTokensOptions): Settings {
  const { issuer, introspectionEndpoint, credentials, audience, cache, timeout, concurrency } = options ?? {};
  assertKnownOptions(options ?? {}, OPTIONS, '`IntrospectedTokens`');
  assertKnownOptions(cache ?? {}, CACHE, '`cache` of `IntrospectedTokens`');
  assertKnownOptions(credentials ?? {}, CREDENTIALS, '`credentials` of `IntrospectedTokens`');
  assertConfig(
    issuer ?? introspectionEndpoint,
    `${NAME} needs the \`issuer\` of the authorization server, or its \`introspectionEndpoint\``,
  );
  for (const [name, url] of Object.entries({ issuer, introspectionEndpoint })) {
    assertConfig(
      url === undefined || isSecureUrl(url),
      `${NAME} takes as \`${name}\` an https URL (http on this machine only), and ${describeValue(url)} is none`,
    );
  }
  assertConfig(!issuer || !/[?#]/.test(issuer), `${NAME} takes an \`issuer\` without query and fragment`);
  const { id, secret, method } = credentials ?? {};
  assertConfig(
    isText(id) && isText(secret),
    `${NAME} needs \`credentials\`: the \`id\` and the \`secret\` of a client that may introspect`,
  );
  assertConfig(
    options.answers === undefined || typeof options.answers?.read === 'function',
    `${NAME} takes as \`answers\` what \`signedAnswers()\` returns`,
  );
  assertConfig(METHODS.includes(method), `${NAME} knows the methods 'client_secret_basic' and 'client_secret_post'`);
  return {
    issuer,
    introspectionEndpoint,
    credentials,
    audience: readAudience(NAME, audience),
    cache: {
      lifetime: readSeconds(NAME, 'cache.lifetime', cache?.lifetime, { usual: 30 }),
      negativeLifetime: readSeconds(NAME, 'cache.negativeLifetime', cache?.negativeLifetime, { usual: 5 }),
      size: readCount(NAME, 'cache.size', cache?.size, 10_000),
    },
    timeout: readSeconds(NAME, 'timeout', timeout, { usual: 3, least: 0.001 }),
    concurrency: readCount(NAME, 'concurrency', concurrency, 16),
    answers: options.answers,
    fetch: options.fetch ?? ((...request) => fetch(...request)),
  };
}
