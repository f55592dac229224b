import { isObject } from '../../configuration/is-object.js';
import type { UpstreamProvider, UpstreamUser } from './provider.js';

/** Maximum length of `sub`. OpenID Connect Core 1.0 §2 */
const MAX_SUB_LENGTH = 255;

/** Maximum length of texts that pages show and applications store. */
const MAX_TEXT_LENGTH = 200;

const MAX_EMAIL_LENGTH = 254;

/** Returns the user of an ID token and a UserInfo response. */
export function userFromClaims({ brand }: UpstreamProvider, claims: Readonly<Record<string, unknown>>): UpstreamUser {
  const { sub, name, picture, email, email_verified: isVerified } = claims;
  return {
    sub: sub as string,
    name: shortText(name),
    picture: shortText(picture, 2000),
    email: typeof email === 'string' ? email : undefined,
    // Apple sends a text.
    emailVerified: isVerified === true || (brand === 'apple' && isVerified === 'true'),
    claims,
  };
}

/** Whether a value has a valid `sub`. */
export function isUser(value: unknown): value is UpstreamUser {
  const sub = isObject(value) ? value['sub'] : undefined;
  return typeof sub === 'string' && sub !== '' && sub.length <= MAX_SUB_LENGTH && !sub.includes('\0');
}

/** Returns a text that is not empty, shortened. `undefined` for other values. */
export const shortText = (value: unknown, maxLength = MAX_TEXT_LENGTH): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.slice(0, maxLength) : undefined;

/** The user of a sign-in with a provider, as the methods of the application receive it. */
export interface UpstreamProfile {
  /** The name of the provider in the option `providers`. */
  readonly provider: string;
  /** The issuer of the provider. `iss` and `sub` together identify the user. */
  readonly iss: string;
  readonly sub: string;
  /**
   * The e-mail address, if the provider has verified it and is trusted for its domain (`trustEmail`). Otherwise
   * `undefined`: any provider can claim any address.
   */
  readonly email: string | undefined;
  /** The e-mail address without a proof, for example to fill in a form. Never find an account by it. */
  readonly unverifiedEmail: string | undefined;
  readonly name: string | undefined;
  readonly picture: string | undefined;
  /** All claims of the ID token and the UserInfo response, or the response of the provider's user API. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Returns the profile of a verified user. The address counts only if the provider proves addresses of its domain. */
export function profileOf(
  name: string,
  provider: UpstreamProvider,
  { iss, user, givenName }: { iss: string; user: UpstreamUser; givenName?: string | undefined },
): UpstreamProfile {
  const address = emailOf(user.email);
  const domain = domainOf(address);
  const isProven = user.emailVerified === true && domain !== undefined && provider.provesEmail(domain, user.claims);
  return {
    provider: name,
    iss,
    sub: user.sub,
    email: isProven ? address : undefined,
    unverifiedEmail: isProven ? undefined : address,
    name: shortText(user.name) ?? shortText(givenName),
    picture: shortText(user.picture, 2000),
    claims: user.claims,
  };
}

/** Returns the domain of an e-mail address in lower case. `undefined` if the text is not a plain address. */
export const domainOf = (text: string | undefined): string | undefined => emailOf(text)?.split('@')[1];

/** Returns an address with its domain in lower case. `undefined` if it is not a plain address. */
function emailOf(value: unknown): string | undefined {
  if (
    typeof value !== 'string' ||
    value.length > MAX_EMAIL_LENGTH ||
    !/^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d.-]+$/i.test(value)
  ) {
    return undefined;
  }
  const [local, domain] = value.split('@') as [string, string];
  return `${local}@${domain.toLowerCase()}`;
}
