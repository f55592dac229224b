import type { JWTPayload } from 'jose';
import { shortText } from '../../events/events.js';
import type { TokenClaims } from '../../remote/token-claims.js';
import { claimAt, firstText, valuesAt } from './claim-rules.js';
import { rejected } from './rejection.js';
import type { Settings } from './settings.js';

const withoutPrefix = (mediaType: string) => mediaType.toLowerCase().replace(/^application\//, '');

/**
 * Verifies that the `typ` header of an access token is accepted, with or without the prefix `application/`.
 * RFC 7515 §4.1.9
 * @throws {InvalidTokenError} If the type is not accepted.
 */
export function verifyType(given: unknown, { typ }: Settings): void {
  const isAccepted = typ.some((one) =>
    one === null ? given === undefined : typeof given === 'string' && withoutPrefix(one) === withoutPrefix(given),
  );
  if (isAccepted) return;
  const accepted = typ.map((one) => one ?? 'none').join(' ');
  throw rejected('the type of the token is not accepted', {
    reason: 'header `typ` is not accepted: see the option `typ` of `JwtTokens`, or a preset such as `keycloak()`',
    expected: accepted,
    given: shortText(given) ?? 'none',
  });
}

/**
 * Returns the claims of an access token under the names of RFC 9068, even if its issuer uses other names.
 * @throws {InvalidTokenError} If a claim is missing or malformed.
 */
export function readClaims(claims: JWTPayload, settings: Settings): TokenClaims {
  const { requiredClaims, clientIdClaims, scopeClaims, rolesClaims, audienceClaims, tokenUse } = settings;
  for (const name of requiredClaims) if (!isPresent(claims[name])) throw malformed(name, 'missing');
  for (const name of ['sub', 'jti']) if (!isTextOrAbsent(claims[name])) throw malformed(name);
  const use = tokenUse && claimAt(claims, tokenUse.claim);
  if (tokenUse && !tokenUse.values.includes(use as string)) {
    const reason = `claim \`${String(tokenUse.claim)}\` does not have the value of an access token`;
    throw rejected('the token is not an access token', {
      reason,
      expected: tokenUse.values.join(' '),
      given: shortText(use),
    });
  }
  const clientId = firstText(claims, clientIdClaims);
  if (clientId === undefined) throw malformed(String(clientIdClaims[0]), 'missing');
  const isMalformed = scopeClaims.some((path) => !isTextOrList(claimAt(claims, path)));
  if (isMalformed) throw malformed(String(scopeClaims[0]));
  const audience = audienceOf(claims, settings);
  if (audience === undefined) throw malformed(String(audienceClaims[0]));
  const scope = valuesAt(claims, scopeClaims);
  const roles = valuesAt(claims, rolesClaims);
  return {
    ...claims,
    client_id: clientId,
    aud: audience,
    scope: scope.length > 0 ? scope.join(' ') : undefined,
    roles: roles.length > 0 ? roles : undefined,
  };
}

/** Returns the values of the audience claims, or `undefined` if one of them is malformed. */
function audienceOf(claims: JWTPayload, { audienceClaims }: Settings): readonly string[] | undefined {
  const values = audienceClaims.flatMap((path) => claimAt(claims, path) ?? []);
  return values.every((value) => typeof value === 'string' && value !== '') ? (values as string[]) : undefined;
}

const malformed = (name: string, problem = 'invalid') =>
  rejected(`the claim \`${name}\` is ${problem}`, { reason: `claim \`${name}\` is ${problem}` });

const isPresent = (value: unknown) => value !== undefined && value !== null && value !== '';
const isTextOrAbsent = (value: unknown) => value === undefined || (typeof value === 'string' && value !== '');
const isTextOrList = (value: unknown) =>
  value === undefined ||
  typeof value === 'string' ||
  (Array.isArray(value) && value.every((one) => typeof one === 'string'));
