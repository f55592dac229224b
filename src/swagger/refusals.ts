import type { OpenAPIObject } from '@nestjs/swagger';
import type { StepUp } from '../../lib/index.js';
import type { AccessRequirements } from '../guards/access-requirements.js';
import type { OperationObject } from './operations.js';

const SCHEMA = 'OAuthRefusal';

/** The schema of an error response of the guard. RFC 6750 §3.1 */
const REFUSAL_SCHEMA = {
  type: 'object',
  required: ['statusCode', 'message', 'error', 'error_description'],
  properties: {
    statusCode: { type: 'integer', example: 401 },
    message: { type: 'string', example: 'Invalid token: access token is invalid' },
    error: { type: 'string', example: 'invalid_token' },
    error_description: { type: 'string', example: 'Invalid token: access token is invalid' },
  },
};

/** Adds the error responses of the guard to an operation, unless the application has described them. RFC 6750 §3 */
export function addRefusals(
  { responses }: OperationObject,
  requiredScopes: readonly (readonly string[])[],
  { optional, options = {} }: AccessRequirements,
): void {
  const lacking = optional ? 'The access token is invalid' : 'The access token is missing or invalid';
  responses['401'] ??= refusal(lacking + (options.stepUp ? `, ${describeStepUp(options.stepUp)}` : ''));
  const scopes = requiredScopes.map((all) => all.map((scope) => `\`${scope}\``).join(' and ')).filter(Boolean);
  const lacks = [
    ...(scopes.length > 0 ? [`it lacks the scope ${scopes.join(', or ')}`] : []),
    ...(options.userRequired ? ['it has no user'] : []),
  ];
  if (lacks.length > 0) responses['403'] ??= refusal(`The access token is valid, but ${lacks.join(', or ')}`);
}

/** Returns a description of the login that a route requires. RFC 9470 §3 */
function describeStepUp({ acr, maxAge }: StepUp): string {
  const how = acr && `with ${acr.map((one) => `\`${one}\``).join(' or ')}`;
  const when = maxAge === undefined ? undefined : `in the last ${maxAge} seconds`;
  return `or its user has not signed in ${[how, when].filter(Boolean).join(' ')}`;
}

/** Adds the schema of the error responses to a document. */
export function addRefusalSchema(document: OpenAPIObject): void {
  const { schemas } = document.components ?? {};
  document.components = { ...document.components, schemas: { [SCHEMA]: REFUSAL_SCHEMA, ...schemas } };
}

function refusal(description: string) {
  return {
    description,
    headers: {
      'WWW-Authenticate': {
        description: 'The challenge with the error and the required scope. RFC 6750 §3',
        schema: TEXT,
      },
    },
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${SCHEMA}` } } },
  };
}

const TEXT = { type: 'string' };
