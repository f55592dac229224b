import type { OpenAPIObject } from '@nestjs/swagger';
import { scopeValues } from '../../lib/adapter/index.js';
import type { Scope } from '../../lib/index.js';
import type { AccessRequirements } from '../guards/access-requirements.js';
import type { OperationObject } from './operations.js';

/** Schemes that must be fulfilled together, with the scopes of each; a list of them are alternatives. OpenAPI 3.0 §4.7.30 */
type Requirement = NonNullable<OpenAPIObject['security']>[number];

/** What the token of a route must have: all the scopes of any of these lists. */
export function requiredScopes(
  { options }: AccessRequirements,
  scope: Scope | undefined,
): readonly (readonly string[])[] {
  const all = [...new Set(scopeValues(options?.scope ?? scope))].filter(Boolean);
  const any = options?.anyScope;
  // One that is demanded anyhow is one of any.
  if (!any || any.some((one) => all.includes(one))) return [all];
  return [...new Set(any)].map((one) => all.concat(one));
}

/** By which names the schemes of a document go that stand for an access token: they are ours to say. RFC 6750 §2.1 */
export function tokenSchemes({ components }: OpenAPIObject): ReadonlySet<string> {
  const schemes = Object.entries(components?.securitySchemes ?? {}) as [string, { type?: string; scheme?: string }][];
  const stand = schemes.filter(
    ([, { type, scheme }]) =>
      type === 'oauth2' || type === 'openIdConnect' || (type === 'http' && scheme?.toLowerCase() === 'bearer'),
  );
  const defined = new Set(schemes.map(([name]) => name));
  // As `@ApiBearerAuth()` and `@ApiOAuth2()` name them, which many write without defining the scheme.
  return new Set([...stand.map(([name]) => name), ...['bearer', 'oauth2'].filter((name) => !defined.has(name))]);
}

/** What the document said of an operation before. */
interface DocumentedOperation {
  readonly operation: OperationObject;
  readonly document: OpenAPIObject;
  readonly tokenSchemes: ReadonlySet<string>;
}

/** Lets an operation demand the token, beside what the host says of schemes that are no token: an API key, a cookie. */
export function requireToken(before: DocumentedOperation, alternatives: readonly Requirement[]): void {
  const others = withoutTokens(before);
  const beside = others.length > 0 ? others : [{}];
  before.operation.security = beside.flatMap((other) => alternatives.map((one) => ({ ...other, ...one })));
}

/** Lets an operation demand no token. */
export function requireNoToken(before: DocumentedOperation): void {
  const others = withoutTokens(before);
  if (others.length > 0 || before.document.security) before.operation.security = others;
  else delete before.operation.security;
}

function withoutTokens({ operation, document, tokenSchemes: tokens }: DocumentedOperation): Requirement[] {
  const said = operation.security ?? document.security ?? [];
  const others = said.map((one) => Object.entries(one).filter(([name]) => !tokens.has(name)));
  return others.filter((one) => one.length > 0).map((one) => Object.fromEntries(one));
}
