import type * as WebAuthn from '@simplewebauthn/server';
import { configurationError, tryParseJson } from '../../../lib/internal.js';
import { optionalPackage } from '../../configuration/optional-package.js';

/**
 * Loads `@simplewebauthn/server`, which only `accounts({ passkeys: true })` needs.
 * @throws {InvalidArgumentError} If the package is not installed.
 */
export const loadWebAuthn = optionalPackage<typeof WebAuthn>(
  () => import('@simplewebauthn/server'),
  ({ message }) =>
    configurationError(
      `\`passkeys\` of \`accounts()\` requires a package: run \`npm install @simplewebauthn/server\`. ${message}`,
    ),
);

/** The stored data of a passkey. */
export interface PasskeyData {
  /** The credential ID, in base64url. */
  readonly id: string;
  /** The public key, in COSE and base64url. */
  readonly publicKey: string;
  /** The signature counter. `0` if the authenticator has none. Web Authentication Level 3 §6.1.1 */
  readonly counter: number;
  readonly transports?: readonly string[];
  /** Whether the passkey may be backed up. It never changes. Web Authentication Level 3 §6.1.3 */
  readonly backupEligible: boolean;
  /** Whether the passkey was backed up when it was used last. */
  readonly backedUp: boolean;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly usedAt?: number;
}

/** The values that a response must contain. */
export interface Expected {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
}

/** Maximum length of the JSON of a response. */
const MAX_RESPONSE = 20_000;

/** Returns the response of an authenticator from a form. `undefined` if it is not JSON of an object. */
export function parseResponse(text: string | undefined): { id: string; response: Record<string, unknown> } | undefined {
  if (text === undefined || text.length > MAX_RESPONSE) return undefined;
  const value = tryParseJson(text) as { id?: unknown; response?: unknown } | undefined;
  const isValid = typeof value?.id === 'string' && typeof value.response === 'object' && value.response !== null;
  return isValid ? (value as ReturnType<typeof parseResponse>) : undefined;
}

/**
 * Verifies the response to a registration. Web Authentication Level 3 §7.1
 * @returns `undefined` if it is invalid
 */
export async function verifyNew(
  response: object,
  { challenge, origin, rpId }: Expected,
  name: string,
): Promise<PasskeyData | undefined> {
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const result = await verifyRegistrationResponse({
    response: response as WebAuthn.RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
  }).catch(() => undefined);
  if (!result?.verified) return undefined;
  const { credential, credentialBackedUp, credentialDeviceType } = result.registrationInfo;
  return {
    id: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    ...(credential.transports && { transports: credential.transports }),
    backupEligible: credentialDeviceType === 'multiDevice',
    backedUp: credentialBackedUp,
    name,
    createdAt: Date.now(),
  };
}

/**
 * Verifies the response of a passkey. A counter that has not grown shows that the passkey was copied, and a changed
 * backup eligibility that it is another one. Both are refused. Web Authentication Level 3 §7.2
 * @returns the new state of the passkey. `undefined` if the response is invalid.
 */
export async function verifyUse(
  response: object,
  { challenge, origin, rpId }: Expected,
  passkey: PasskeyData,
  requireUserVerification: boolean,
): Promise<PasskeyData | undefined> {
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const { id, publicKey, counter } = passkey;
  const result = await verifyAuthenticationResponse({
    response: response as WebAuthn.AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
    requireUserVerification,
  }).catch(() => undefined);
  if (!result?.verified) return undefined;
  const { newCounter, credentialBackedUp, credentialDeviceType } = result.authenticationInfo;
  if ((credentialDeviceType === 'multiDevice') !== passkey.backupEligible) return undefined;
  return { ...passkey, counter: newCounter, backedUp: credentialBackedUp, usedAt: Date.now() };
}
