import {
  InvalidClientMetadataError,
  InvalidRequestError,
  InvalidSoftwareStatementError,
  OAuthError,
  UnapprovedSoftwareStatementError,
} from '../../errors/index.js';
import { mediaType } from '../../http/media-type.js';
import type { Request } from '../../http/request.js';
import type { RegistrationModel } from './registration-model.js';

/** Maximum size of a registration request as JSON, in characters. */
const MAX_CHARACTERS = 16_384;
/** Maximum nesting depth of a registration request. A JWK set is not nested deeper. */
const MAX_DEPTH = 8;

/**
 * Returns the JSON body of a registration request. RFC 7591 §3.1
 * @throws {InvalidRequestError} If the content is not JSON, or too long.
 * @throws {InvalidClientMetadataError} If the JSON is not an object, or nested too deeply.
 */
export function readRegistrationBody(request: Request): Record<string, unknown> {
  if (mediaType(request.get('content-type')) !== 'application/json') {
    throw new InvalidRequestError('Invalid request: content must be application/json');
  }
  const body: unknown = request.body;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new InvalidClientMetadataError('Invalid client metadata: it must be a JSON object');
  }
  // Limit the depth before `JSON.stringify()`, which would exceed the stack for deep nesting.
  if (isDeeper(body, MAX_DEPTH))
    throw new InvalidClientMetadataError('Invalid client metadata: it is nested too deeply');
  if (JSON.stringify(body).length <= MAX_CHARACTERS) return body as Record<string, unknown>;
  throw new InvalidRequestError(`Invalid request: it is longer than ${MAX_CHARACTERS} characters`, { code: 413 });
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}

/**
 * Verifies a software statement by `verifySoftwareStatement()` of the model, and returns its claims. RFC 7591 §3.2.2
 * @throws {InvalidSoftwareStatementError} If the statement is not a valid JWT.
 * @throws {UnapprovedSoftwareStatementError} If the model does not approve it.
 */
export async function readSoftwareStatement(statement: unknown, model: RegistrationModel): Promise<object> {
  if (typeof statement !== 'string' || !/^[\w-]+\.[\w-]*\.[\w-]*$/.test(statement)) {
    throw new InvalidSoftwareStatementError('Invalid software statement: it must be a JSON Web Token');
  }
  const claims = await verifyStatement(statement, model);
  if (claims) return claims;
  throw new UnapprovedSoftwareStatementError('Unapproved software statement: this server does not approve it');
}

/** Calls the model's verifier. Any exception that is not an `OAuthError` means that the statement is invalid. */
async function verifyStatement(statement: string, model: RegistrationModel) {
  try {
    return await model.verifySoftwareStatement!(statement);
  } catch (error) {
    if (error instanceof OAuthError) throw error;
    const reason = '`verifySoftwareStatement()` of the model threw an error';
    throw new InvalidSoftwareStatementError('Invalid software statement: it cannot be verified').because({ reason });
  }
}
