import type { OpenAPIObject } from '@nestjs/swagger';

import { scopeValues } from '../../lib/internal.js';
import type { Scope } from '../../lib/index.js';
import type { AccessRequirements } from '../guards/access-requirements.js';
import type { OperationObject } from './operations.js';

/**
 * Security schemes that must all be met, with their scopes. In a list, each requirement is an alternative. OpenAPI
 * 3.0 §4.7.30
 */
type Requirement = NonNullable<OpenAPIObject['security']>[number];

/**
 * Returns the scopes that the token of a route must have, as alternative lists. The token needs all scopes of one list.
 */
export function requiredScopes(
  { options }: AccessRequirements,
  scope: Scope | undefined,
): readonly (readonly string[])[] {
  const all = [...new Set(scopeValues(options?.scope ?? scope))].filter(Boolean);
  const any = options?.anyScope;
  // A scope that is required anyway already satisfies `anyScope`.
  if (!any || any.some((one) => all.includes(one))) return [all];
  return [...new Set(any)].map((one) => all.concat(one));
}

/** Returns the names of the security schemes of a document that stand for an access token. RFC 6750 §2.1 */
export function tokenSchemes({ components }: OpenAPIObject): ReadonlySet<string> {
  const schemes = Object.entries(components?.securitySchemes ?? {}) as [string, { type?: string; scheme?: string }][];
  const forTokens = schemes.filter(
    ([, { type, scheme }]) =>
      type === 'oauth2' || type === 'openIdConnect' || (type === 'http' && scheme?.toLowerCase() === 'bearer'),
  );
  const defined = new Set(schemes.map(([name]) => name));
  // The default names of `@ApiBearerAuth()` and `@ApiOAuth2()`, which are often used without a definition.
  return new Set([...forTokens.map(([name]) => name), ...['bearer', 'oauth2'].filter((name) => !defined.has(name))]);
}

/** An operation and the document before the change. */
interface DocumentedOperation {
  readonly operation: OperationObject;
  readonly document: OpenAPIObject;
  readonly tokenSchemes: ReadonlySet<string>;
}

/**
 * Makes an operation require an access token, in addition to other security schemes of the application, such as an API
 * key.
 */
export function requireToken(before: DocumentedOperation, alternatives: readonly Requirement[]): void {
  const others = withoutTokens(before);
  const combinations = others.length > 0 ? others : [{}];
  before.operation.security = combinations.flatMap((other) => alternatives.map((one) => ({ ...other, ...one })));
}

/** Makes an operation require no access token. */
export function requireNoToken(before: DocumentedOperation): void {
  const others = withoutTokens(before);
  if (others.length > 0 || before.document.security) before.operation.security = others;
  else delete before.operation.security;
}

function withoutTokens({ operation, document, tokenSchemes: tokens }: DocumentedOperation): Requirement[] {
  const existing = operation.security ?? document.security ?? [];
  const others = existing.map((one) => Object.entries(one).filter(([name]) => !tokens.has(name)));
  return others.filter((one) => one.length > 0).map((one) => Object.fromEntries(one));
}
