import type { OpenAPIObject } from '@nestjs/swagger';
import type { StepUp } from '../../lib/index.js';
import type { AccessRequirements } from '../guards/access-requirements.js';
import type { OperationObject } from './operations.js';

const SCHEMA = 'OAuthRefusal';

/** What the guard answers to a request that it turns away, as the exceptions of Nest say it. RFC 6750 §3.1 */
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

/** Says how the guard turns requests away, unless the host has said it. RFC 6750 §3 */
export function addRefusals(
  { responses }: OperationObject,
  requiredScopes: readonly (readonly string[])[],
  { optional, options = {} }: AccessRequirements,
): void {
  const lacking = optional
    ? 'There is an access token, and it is not good'
    : 'There is no access token, or it is not good';
  responses['401'] ??= refusal(lacking + (options.stepUp ? `; ${describeStepUp(options.stepUp)}` : ''));
  const scopes = requiredScopes.map((all) => all.map((scope) => `\`${scope}\``).join(' and ')).filter(Boolean);
  const lacks = [
    ...(scopes.length > 0 ? [`it lacks the scope ${scopes.join(', or ')}`] : []),
    ...(options.userRequired ? ['no user stands behind it'] : []),
  ];
  if (lacks.length > 0) responses['403'] ??= refusal(`The access token is good, but ${lacks.join(', or ')}`);
}

/** In words. RFC 9470 §3 */
function describeStepUp({ acr, maxAge }: StepUp): string {
  const how = acr && `by ${acr.map((one) => `\`${one}\``).join(' or ')}`;
  const when = maxAge === undefined ? undefined : `in the last ${maxAge} seconds`;
  return `or its user has not signed in ${[how, when].filter(Boolean).join(', ')}`;
}

/** Defines what the refusals refer to. */
export function addRefusalSchema(document: OpenAPIObject): void {
  const { schemas } = document.components ?? {};
  document.components = { ...document.components, schemas: { [SCHEMA]: REFUSAL_SCHEMA, ...schemas } };
}

function refusal(description: string) {
  return {
    description,
    headers: {
      'WWW-Authenticate': { description: 'The challenge: what is wrong, and the scope. RFC 6750 §3', schema: TEXT },
    },
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${SCHEMA}` } } },
  };
}

const TEXT = { type: 'string' };
