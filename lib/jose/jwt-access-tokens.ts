import { ServerError } from '../errors/index.js';
import type { Feature, ServerContext } from '../contracts/feature.js';
import { findUnknownOption } from '../options/unknown-option.js';
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

/** What `jwtAccessTokens()` takes. */
export interface JwtAccessTokensOptions {
  /** What a token is for that names no resource: its `aud`. Default: the issuer. RFC 9068 §3 */
  audience?: string;
  /** Tokens for these resources alone are JWTs, all others opaque. Default: all are JWTs */
  resources?: readonly string[];
  /** What they are signed by. Default: what `keys()` signs by first */
  alg?: SigningAlgorithm;
}

/** Says more in access tokens. */
export interface JwtAccessTokenModel<C extends Client = Client, U extends User = User> {
  /**
   * Further claims of a token, such as `roles` or `groups`; what the specification defines is said by the server. Everybody
   * who holds the token can read them. RFC 9068 §2.2
   */
  getAccessTokenClaims?(token: Unsaved<Token>, client: C, user: U): Awaitable<object | Falsy>;
}

/**
 * Access tokens are signed, so that an API can check them without asking (`JwtTokens`). They are saved as opaque ones are: they
 * can be revoked and introspected, and are kept with their `jti`. RFC 9068
 */
export function jwtAccessTokens(options: JwtAccessTokensOptions = {}): Feature {
  const { audience, resources, alg } = options;
  return {
    id: 'jwtAccessTokens',
    specification: 'RFC 9068',

    install(builder) {
      const keys = builder.use(KEYS);
      return {
        token: {
          async format(minted) {
            const named = audienceOf(minted.token['resource']);
            if (resources && (named.length === 0 || !named.every((uri) => isAmong(uri, resources)))) return undefined;
            const claims = await claimsOf(minted, {
              server: builder.server,
              audience: named.length > 0 ? named : [audience ?? minted.issuer!],
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

/** What a token says. What the host and other features add never stands in place of it. RFC 9068 §2.2 */
async function claimsOf(
  { token, client, user, issuer }: MintedToken,
  { server, audience }: { server: ServerContext; audience: readonly string[] },
) {
  const sub = subjectOf(user);
  if (sub === undefined) throw new ServerError('Server error: the `user` has no `id`, which a JWT names as its `sub`');
  if (issuer === undefined) throw new ServerError('Server error: a JWT names its issuer, and there is none');
  const model: Model & JwtAccessTokenModel = server.options.model;
  const said: object[] = [];
  for (const describe of server.hooks.token.describe) said.push(describe({ ...token, client, user }) ?? {});
  const more = (await model.getAccessTokenClaims?.(token, client, user)) || {};
  const { cnf, accessTokenExpiresAt, scope } = token as Partial<Token>;
  // Which session it was is the business of the client. RFC 9068 §2.2.1
  const { sid: _, ...authentication } = readSignInClaims(token);
  return {
    ...more,
    ...(Object.assign({}, ...said) as object),
    ...authentication,
    iss: issuer,
    sub,
    aud: audience.length > 1 ? audience : audience[0]!,
    client_id: client.id,
    exp: Math.floor(accessTokenExpiresAt!.getTime() / 1000),
    nbf: undefined,
    iat: Math.floor(Date.now() / 1000),
    jti: newGrantId(),
    scope: scopeText(scope) || undefined,
    cnf,
  };
}

function* findConfigurationErrors(server: ServerContext, options: JwtAccessTokensOptions): Iterable<string> {
  const { audience, resources, alg } = options;
  const misspelt = findUnknownOption(options, NAMES, '`jwtAccessTokens()`');
  if (misspelt !== undefined) yield misspelt;
  yield* findSigningErrors('`jwtAccessTokens()`', server, alg);
  if (audience !== undefined && (typeof audience !== 'string' || audience === '')) {
    yield '`audience` of `jwtAccessTokens()` must be the resource that tokens are for which name none';
  }
  if (resources !== undefined && (!Array.isArray(resources) || resources.length === 0)) {
    yield '`resources` of `jwtAccessTokens()` must be a list of resources: leave it out where all tokens are JWTs';
  }
}

const NAMES = { audience: true, resources: true, alg: true } as const;
