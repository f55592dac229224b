import { unknownOption } from '../../features/unknown-option.js';
import type { Awaitable } from '../../model/model.js';
import { audienceList, seconds, verify } from '../../remote/checks.js';
import { refuse } from '../../refuse.js';
import type { Accepted } from '../../remote/token-claims.js';
import { ISSUER_OPTIONS, type IssuerOptions, type IssuerSettings, settleIssuer } from '../issuer-keys.js';

/** What `new JwtTokens()` takes. */
export interface JwtTokensOptions extends IssuerOptions {
  /** The resource that this API is, or several: a token that names none of them in `aud` is refused. RFC 9068 §4 */
  audience: string | readonly string[];
  /** Seconds by which the clocks of the two servers may differ. Default: 5 */
  clockTolerance?: number;
  /** Has this token been ended before its time? Asked for each good token, by its claims: `jti`, `sub`, `client_id`. */
  isRevoked?: (claims: Readonly<Record<string, unknown>>) => Awaitable<boolean>;
}

/** The same, settled and checked. */
export interface Settings extends IssuerSettings, Accepted {
  issuer: string;
  clockTolerance: number;
  isRevoked: JwtTokensOptions['isRevoked'];
}

const NAME = 'JwtTokens';

const OPTIONS = { ...ISSUER_OPTIONS, audience: true, clockTolerance: true, isRevoked: true } as const;

/** @throws InvalidArgumentError with a sentence for what cannot work */
export function settle(given: JwtTokensOptions): Settings {
  const { audience, isRevoked } = given ?? {};
  refuse(unknownOption(given ?? {}, OPTIONS, `\`${NAME}\``));
  const issuer = settleIssuer(NAME, given ?? {});
  verify(
    NAME,
    audience !== undefined,
    'needs the `audience`: the resource that this API is, as tokens name it in `aud`',
  );
  verify(NAME, isRevoked === undefined || typeof isRevoked === 'function', 'takes as `isRevoked` a function');
  return {
    ...issuer,
    audience: audienceList(NAME, audience),
    clockTolerance: seconds(NAME, 'clockTolerance', given.clockTolerance, { usual: 5 }),
    isRevoked,
  };
}
