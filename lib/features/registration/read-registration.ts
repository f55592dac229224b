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

/** How many characters a registration may have, as JSON. */
const MAX_CHARACTERS = 16_384;
/** How deep its objects and lists may lie in each other: those of a JWK set do not lie deeper. */
const MAX_DEPTH = 8;

/** The JSON of a request. RFC 7591 §3.1 */
export function readRegistrationBody(request: Request): Record<string, unknown> {
  if (mediaType(request.get('content-type')) !== 'application/json') {
    throw new InvalidRequestError('Invalid request: content must be application/json');
  }
  const body: unknown = request.body;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new InvalidClientMetadataError('Invalid client metadata: it must be a JSON object');
  }
  // Before it is written again: what is nested a thousand times is too much for the stack.
  if (isDeeper(body, MAX_DEPTH))
    throw new InvalidClientMetadataError('Invalid client metadata: it is nested too deeply');
  if (JSON.stringify(body).length <= MAX_CHARACTERS) return body as Record<string, unknown>;
  throw new InvalidRequestError(`Invalid request: it has more than ${MAX_CHARACTERS} characters`, { code: 413 });
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}

/** What a software statement says, where the host has proven and approved it. RFC 7591 §3.2.2 */
export async function readSoftwareStatement(statement: unknown, model: RegistrationModel): Promise<object> {
  if (typeof statement !== 'string' || !/^[\w-]+\.[\w-]*\.[\w-]*$/.test(statement)) {
    throw new InvalidSoftwareStatementError('Invalid software statement: it must be a JSON Web Token');
  }
  const proven = await verifyStatement(statement, model);
  if (proven) return proven;
  throw new UnapprovedSoftwareStatementError('Unapproved software statement: it is not approved here');
}

/** What a verifier of the host throws that is none of ours says that the statement is not good. */
async function verifyStatement(statement: string, model: RegistrationModel) {
  try {
    return await model.verifySoftwareStatement!(statement);
  } catch (error) {
    if (error instanceof OAuthError) throw error;
    const reason = 'the model verifies the software statement';
    throw new InvalidSoftwareStatementError('Invalid software statement: it cannot be verified').because({ reason });
  }
}
