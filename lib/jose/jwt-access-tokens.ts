import { ServerError } from '../errors/index.js';
import type { Feature, ServerContext } from '../contracts/feature.js';
import { type OptionRows, optionTable } from '../options/option-table.js';
import { accepts, ANY, TEXT } from '../options/value-checks.js';
import type { Awaitable, Client, Falsy, Model, Token, Unsaved, User } from '../model/model.js';
import { audienceOf, isAmong } from '../tokens/audience.js';
import { newGrantId } from '../tokens/opaque.js';
import { scopeText } from '../tokens/scope.js';
import { readSignInClaims } from '../tokens/sign-in-claims.js';
import { subjectOf } from '../tokens/subject.js';
import type { MintedToken } from '../contracts/token-format.js';
import type { SigningAlgorithm } from './algorithms.js';
import { signJwt } from './keys/key-ring.js';
import { KEYS } from './keys/find-keys.js';
import { findSigningErrors } from './keys/signing-errors.js';

/** The options of `jwtAccessTokens()`. */
export interface JwtAccessTokensOptions {
  /** The `aud` of tokens that are requested without a resource. Default: the issuer. RFC 9068 §3 */
  audience?: string;
  /**
   * The resources whose tokens are JWTs. Tokens for other resources, or for none, are opaque. If omitted, all tokens
   * are JWTs.
   */
  resources?: readonly string[];
  /** The signature algorithm. Default: the first algorithm of `keys()`. */
  alg?: SigningAlgorithm;
}

/** The optional model interface that adds claims to JWT access tokens. */
export interface JwtAccessTokenModel<C extends Client = Client, U extends User = User> {
  /**
   * Returns additional claims for a token, such as `roles` or `groups`. Claims that the server sets itself cannot be
   * replaced. Everyone who holds the token can read them. A falsy value adds none. RFC 9068 §2.2
   */
  getAccessTokenClaims?(token: Unsaved<Token>, client: C, user: U): Awaitable<object | Falsy>;
}

/**
 * Issues access tokens as signed JWTs, so that an API can verify them locally with `JwtTokens`. They are saved like
 * opaque tokens, together with their `jti`, and can be revoked and introspected. RFC 9068
 */
export function jwtAccessTokens(options: JwtAccessTokensOptions = {}): Feature {
  const { audience, resources, alg } = options;
  return {
    id: 'jwtAccessTokens',
    specification: 'RFC 9068',
    settings: { audience, resources, alg },

    install(builder) {
      const keys = builder.use(KEYS);
      return {
        token: {
          async format(minted) {
            const requestedResources = audienceOf(minted.token['resource']);
            if (
              resources &&
              (requestedResources.length === 0 || !requestedResources.every((uri) => isAmong(uri, resources)))
            )
              return undefined;
            const claims = await claimsOf(minted, {
              server: builder.server,
              audience: requestedResources.length > 0 ? requestedResources : [audience ?? minted.issuer!],
            });
            minted.token['jti'] = claims.jti;
            return await signJwt(keys(), claims, { typ: 'at+jwt', alg });
          },
          describe: ({ jti }) => (typeof jti === 'string' ? { jti } : undefined),
        },
        misconfigurations: (server) => findConfigurationErrors(server, options),
      };
    },
  };
}

/**
 * Returns the claims of an access token. Claims of the application or of other features cannot replace those of the
 * server. RFC 9068 §2.2
 */
async function claimsOf(
  { token, client, user, issuer }: MintedToken,
  { server, audience }: { server: ServerContext; audience: readonly string[] },
) {
  const sub = subjectOf(user, client);
  if (sub === undefined)
    throw new ServerError('Server error: cannot issue a JWT, because the `user` has no `id` for `sub`');
  if (issuer === undefined)
    throw new ServerError('Server error: cannot issue a JWT, because the option `issuer` is not set');
  const model: Model & JwtAccessTokenModel = server.options.model;
  const featureClaims: object[] = [];
  for (const describe of server.hooks.token.describe) featureClaims.push(describe({ ...token, client, user }) ?? {});
  const applicationClaims = (await model.getAccessTokenClaims?.(token, client, user)) || {};
  // `introspection()` saves the time of issue, so that both report the same.
  const { cnf, accessTokenExpiresAt, scope, iat = Math.floor(Date.now() / 1000) } = token as Partial<Token>;
  // Omit `sid`: APIs need not know the session. RFC 9068 §2.2.1
  const { sid: _, ...authentication } = readSignInClaims(token);
  return {
    ...applicationClaims,
    ...(Object.assign({}, ...featureClaims) as object),
    ...authentication,
    iss: issuer,
    sub,
    aud: audience.length > 1 ? audience : audience[0]!,
    client_id: client.id,
    exp: Math.floor(accessTokenExpiresAt!.getTime() / 1000),
    nbf: undefined,
    iat,
    jti: newGrantId(),
    scope: scopeText(scope) || undefined,
    cnf,
  };
}

const FEATURE = '`jwtAccessTokens()`';
const OPTIONS = optionTable(FEATURE, {
  audience: { check: TEXT },
  resources: {
    check: accepts(
      'a non-empty list. Omit it if all tokens are JWTs',
      (value) => Array.isArray(value) && value.length > 0,
    ),
  },
  alg: { check: ANY },
} satisfies OptionRows<JwtAccessTokensOptions>);

function* findConfigurationErrors(server: ServerContext, options: JwtAccessTokensOptions): Iterable<string> {
  yield* OPTIONS.findErrors(options);
  yield* findSigningErrors(FEATURE, server, options.alg);
}
