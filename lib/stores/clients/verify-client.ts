import { InvalidArgumentError } from '../../errors/index.js';
import { registeredName } from '../../clients/registration/registered-names.js';
import { isGrantType, isRedirectUri, isScopeValue, isVSCHAR, type Syntax } from '../../http/syntax.js';
import { isResource } from '../../tokens/audience.js';
import { coversScope, MAX_SCOPE_LENGTH, MAX_SCOPE_VALUE_LENGTH, scopeText } from '../../tokens/scope.js';
import { readHash } from './client-secret.js';
import { hashOf, MAX_SECRETS } from './stored-secrets.js';
import type { StoredClient } from '../contract/ports.js';
import { findMisnamedField } from '../contract/misnamed-fields.js';
import { isEncrypted } from './encrypted-secrets.js';

const CENTURY = 100 * 365.25 * 86_400;

const REDIRECT_URIS = 'absolute URIs without a fragment, and without a script scheme such as `javascript:`';

const CONSENTS: readonly unknown[] = ['never', 'once', 'always'];

/**
 * Validates a client before it is stored.
 * @throws {InvalidArgumentError} If a field is invalid, so that later requests of the client would fail, or if a field
 * has a wrong name.
 */
export function verifyClient(client: StoredClient): void {
  const { id, secret, secretHashes, grants, redirectUris, allowedOrigins, scopes, defaultScope, resources } = client;
  const verify = (holds: boolean, message: string) => verifyField(holds, message, id);
  const misnamed = findMisnamedField(client);
  verify(misnamed === undefined, `rename \`${misnamed?.actual}\` to \`${misnamed?.expected}\``);
  verify(isText(id, isVSCHAR) && id.length <= 255, '`id` must be 1 to 255 printable ASCII characters');
  if (isGiven(secret)) [secret].flat().forEach(verifySecret);
  const hashes: unknown = Array.isArray(secretHashes) ? secretHashes.map(hashOf) : secretHashes;
  verify(
    !isGiven(hashes) || isList(hashes, isHash),
    '`secretHashes` must be a list of results of `hashSecret()` or `newClientSecret()`',
  );
  verify(
    secretHashes?.every((storedSecret) => typeof storedSecret === 'string' || isMoment(storedSecret.expiresAt)) ?? true,
    'the `expiresAt` of a secret must be a number of milliseconds since 1970',
  );
  verify(
    [secret ?? []].flat().length + (secretHashes?.length ?? 0) <= MAX_SECRETS,
    `a client can have at most ${MAX_SECRETS} secrets`,
  );
  verify(isList(grants, isGrantType), '`grants` must be a list of grant types');
  verify(
    !isGiven(redirectUris) || isList(redirectUris, isRedirectUri),
    `\`redirectUris\` must be a list of ${REDIRECT_URIS}`,
  );
  verify(!isGiven(allowedOrigins) || isList(allowedOrigins), '`allowedOrigins` must be a list of origins');
  verify(!isGiven(resources) || isList(resources, isResource), '`resources` must be a list of absolute URIs');
  verify(
    !isGiven(client.authorizationDetailsTypes) || isList(client.authorizationDetailsTypes),
    '`authorizationDetailsTypes` must be a list of types',
  );
  verify(
    !isGiven(scopes) || isList(scopes, isShortScopeValue),
    `\`scopes\` must be a list of scope values, each of at most ${MAX_SCOPE_VALUE_LENGTH} characters and without spaces`,
  );
  verify(
    (scopeText(scopes)?.length ?? 0) <= MAX_SCOPE_LENGTH,
    `\`scopes\` must have at most ${MAX_SCOPE_LENGTH} characters in total`,
  );
  const isDefault = !scopeText(defaultScope) || coversScope(scopes, defaultScope!);
  verify(isDefault, '`defaultScope` must have only values of `scopes`');
  verify(
    client.tokenEndpointAuthMethod !== 'tls_client_auth' || registeredName(client) !== undefined,
    '`tls_client_auth` requires exactly one certificate name: `tlsClientAuthSubjectDn` in the format of RFC 4514, or another `tlsClientAuth…` field',
  );
  const { consent, accessTokenLifetime, refreshTokenLifetime } = client;
  verify(
    !isGiven(client.clientIdHost),
    '`clientIdHost` must not be set: it belongs to clients from a client ID metadata document, which are not stored',
  );
  verify(
    !isGiven(client.issuer) || isText(client.issuer),
    '`issuer` must be the `issuer` of a server. Omit it if the server has none',
  );
  verify(!isGiven(consent) || CONSENTS.includes(consent), '`consent` must be `never`, `once` or `always`');
  for (const [name, lifetime] of Object.entries({ accessTokenLifetime, refreshTokenLifetime })) {
    verify(!isGiven(lifetime) || isLifetime(lifetime), `\`${name}\` must be ${SECONDS}`);
  }
}

/**
 * Validates the times of a new client secret.
 * @throws {InvalidArgumentError} If `secretLifetime` is not a valid lifetime, or if `overlap` is neither a valid
 * lifetime nor `0` nor `Infinity`.
 */
export function verifySeconds({ overlap, secretLifetime }: { overlap?: unknown; secretLifetime?: unknown }): void {
  verifyField(!isGiven(secretLifetime) || isLifetime(secretLifetime), `\`secretLifetime\` must be ${SECONDS}`);
  const isOverlap = overlap === 0 || overlap === Infinity || isLifetime(overlap);
  verifyField(!isGiven(overlap) || isOverlap, `\`overlap\` must be 0, ${SECONDS}, or \`Infinity\``);
}

/** @throws {InvalidArgumentError} If a secret has characters that no request can send. RFC 6749 Appendix A.2 */
export function verifySecret(secret: unknown): void {
  verifyField(isText(secret, isVSCHAR), '`secret` must be a non-empty text of printable ASCII characters');
}

const SECONDS = 'a number of seconds, more than 0 and at most 100 years';
const isLifetime = (value: unknown) => typeof value === 'number' && value > 0 && value <= CENTURY;
const isMoment = (value: unknown) => !isGiven(value) || Number.isFinite(value);
const isGiven = (value: unknown) => value !== undefined && value !== null;
const isText = (value: unknown, syntax?: Syntax) => typeof value === 'string' && (!syntax || syntax(value));
const isList = (value: unknown, syntax?: Syntax) => Array.isArray(value) && value.every((each) => isText(each, syntax));
const isHash: Syntax = (value) => readHash(value) !== undefined || isEncrypted(value);
const isShortScopeValue: Syntax = (value) => isScopeValue(value) && value.length <= MAX_SCOPE_VALUE_LENGTH;

/**
 * @throws {InvalidArgumentError} If the condition is false. The message names the client by its ID if that is known.
 */
function verifyField(holds: boolean, message: string, id?: unknown): void {
  if (holds) return;
  const name = typeof id === 'string' && id.length <= 255 ? `the client \`${id}\`` : 'a client';
  throw new InvalidArgumentError(`Invalid argument: ${name} is invalid: ${message}`);
}
