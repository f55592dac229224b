import { InvalidArgumentError } from '../errors/index.js';
import { registeredName } from '../clients/registration/registered-names.js';
import { isGrantType, isRedirectUri, isScopeValue, isVSCHAR, type Syntax } from '../http/syntax.js';
import { isResource } from '../tokens/audience.js';
import { coversScope, MAX_SCOPE_LENGTH, MAX_SCOPE_VALUE_LENGTH, scopeText } from '../tokens/scope.js';
import { readHash } from './client-secret.js';
import { hashOf, MAX_SECRETS } from './stored-secrets.js';
import type { StoredClient } from './ports.js';
import { findMisnamedField } from './misnamed-fields.js';
import { isEncrypted } from './encrypted-secrets.js';

const CENTURY = 100 * 365.25 * 86_400;

const REDIRECT_URIS = 'absolute URIs, without a fragment and none that is a script';

const CONSENTS: readonly unknown[] = ['never', 'once', 'always'];

/**
 * Checks a client before it is stored.
 * @throws {InvalidArgumentError} For a field that would make all later requests of the client fail, and for a misnamed field.
 */
export function verifyClient(client: StoredClient): void {
  const { id, secret, secretHashes, grants, redirectUris, allowedOrigins, scopes, defaultScope, resources } = client;
  const demand = (holds: boolean, what: string) => verifyField(holds, what, id);
  const misnamed = findMisnamedField(client);
  demand(
    misnamed === undefined,
    `rename \`${misnamed?.given}\` to \`${misnamed?.meant}\`, which is the name that is read`,
  );
  demand(isText(id, isVSCHAR) && id.length <= 255, '`id` must be 1 to 255 characters of printable ASCII');
  if (isGiven(secret)) [secret].flat().forEach(verifySecret);
  const hashes: unknown = Array.isArray(secretHashes) ? secretHashes.map(hashOf) : secretHashes;
  demand(!isGiven(hashes) || isList(hashes, isHash), '`secretHashes` must be as `hashSecret` makes them');
  demand(
    secretHashes?.every((kept) => typeof kept === 'string' || isMoment(kept.expiresAt)) ?? true,
    'the `expiresAt` of a secret must be milliseconds since 1970',
  );
  demand(
    [secret ?? []].flat().length + (secretHashes?.length ?? 0) <= MAX_SECRETS,
    `it has ${MAX_SECRETS} secrets at most`,
  );
  demand(isList(grants, isGrantType), '`grants` must be a list of grant types');
  demand(
    !isGiven(redirectUris) || isList(redirectUris, isRedirectUri),
    `\`redirectUris\` must be a list of ${REDIRECT_URIS}`,
  );
  demand(!isGiven(allowedOrigins) || isList(allowedOrigins), '`allowedOrigins` must be a list of origins');
  demand(!isGiven(resources) || isList(resources, isResource), '`resources` must be a list of absolute URIs');
  demand(
    !isGiven(client.authorizationDetailsTypes) || isList(client.authorizationDetailsTypes),
    '`authorizationDetailsTypes` must be a list of types',
  );
  demand(
    !isGiven(scopes) || isList(scopes, isShortScopeValue),
    `\`scopes\` must be a list of values: ${MAX_SCOPE_VALUE_LENGTH} characters at most, no spaces`,
  );
  demand(
    (scopeText(scopes)?.length ?? 0) <= MAX_SCOPE_LENGTH,
    `\`scopes\` must have ${MAX_SCOPE_LENGTH} characters at most`,
  );
  const isDefault = !scopeText(defaultScope) || coversScope(scopes, defaultScope!);
  demand(isDefault, '`defaultScope` must have values of `scopes` only');
  demand(
    client.tokenEndpointAuthMethod !== 'tls_client_auth' || registeredName(client) !== undefined,
    '`tls_client_auth` needs one name of its certificate, and one alone: `tlsClientAuthSubjectDn`, as RFC 4514 has it, or another',
  );
  const { consent, accessTokenLifetime, refreshTokenLifetime } = client;
  demand(
    !isGiven(client.clientIdHost),
    '`clientIdHost` is of clients that a document describes, and of none that is kept',
  );
  demand(!isGiven(client.issuer) || isText(client.issuer), '`issuer` must be the `issuer` of a server, or left out');
  demand(!isGiven(consent) || CONSENTS.includes(consent), '`consent` must be `never`, `once` or `always`');
  for (const [name, lifetime] of Object.entries({ accessTokenLifetime, refreshTokenLifetime })) {
    demand(!isGiven(lifetime) || isLifetime(lifetime), `\`${name}\` must be ${SECONDS}`);
  }
}

/** @throws InvalidArgumentError for times that are none: an overlap may also be 0 or without end */
export function verifySeconds({ overlap, secretLifetime }: { overlap?: unknown; secretLifetime?: unknown }): void {
  verifyField(!isGiven(secretLifetime) || isLifetime(secretLifetime), `\`secretLifetime\` must be ${SECONDS}`);
  const isOverlap = overlap === 0 || overlap === Infinity || isLifetime(overlap);
  verifyField(!isGiven(overlap) || isOverlap, `\`overlap\` must be 0, ${SECONDS}, or \`Infinity\``);
}

/** @throws InvalidArgumentError for a secret that no request can bring. RFC 6749 Appendix A.2 */
export function verifySecret(secret: unknown): void {
  verifyField(isText(secret, isVSCHAR), '`secret` must be characters of printable ASCII');
}

const SECONDS = 'a number of seconds, above 0 and below a century';
const isLifetime = (value: unknown) => typeof value === 'number' && value > 0 && value <= CENTURY;
const isMoment = (value: unknown) => !isGiven(value) || Number.isFinite(value);
const isGiven = (value: unknown) => value !== undefined && value !== null;
const isText = (value: unknown, syntax?: Syntax) => typeof value === 'string' && (!syntax || syntax(value));
const isList = (value: unknown, syntax?: Syntax) => Array.isArray(value) && value.every((each) => isText(each, syntax));
const isHash: Syntax = (value) => readHash(value) !== undefined || isEncrypted(value);
const isShortScopeValue: Syntax = (value) => isScopeValue(value) && value.length <= MAX_SCOPE_VALUE_LENGTH;

/** @throws {InvalidArgumentError} With the id of the client, where it is known. */
function verifyField(holds: boolean, what: string, id?: unknown): void {
  if (holds) return;
  const name = typeof id === 'string' && id.length <= 255 ? `the client \`${id}\`` : 'a client';
  throw new InvalidArgumentError(`Invalid argument: ${name} is invalid: ${what}`);
}
