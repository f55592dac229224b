import { detailsOf } from '../../lib/internal.js';
import type { User } from '../../lib/index.js';
import type { InteractionContext, OAuth2Interaction } from '../interfaces/oauth2-interaction.interface.js';

/** The scope that a user allows: a part of the grantable scope. If `scope` is omitted, all of it. */
export interface Allowed {
  scope?: string;
}

/** Returns what an earlier consent allows. `undefined` if the user must be asked. */
export function allowedByConsent(consent: unknown): Allowed | undefined {
  if (consent === true) return {};
  if (typeof consent !== 'object' || consent === null || !('scope' in consent)) return undefined;
  const { scope } = consent;
  return typeof scope === 'string' && scope !== '' ? { scope } : undefined;
}

/**
 * Returns what the user allows with a consent form, and sets it as `grantedScope` of the authorization request.
 * `undefined` if the user refuses the whole scope. RFC 6749 §3.3
 */
export async function readAllowedScope(
  interaction: OAuth2Interaction,
  body: unknown,
  user: User,
  context: InteractionContext,
): Promise<Allowed | undefined> {
  const { authorization } = context;
  const { grantableScope } = authorization;
  if (grantableScope === undefined) return {};
  authorization.grantedScope = grantableScope;
  const optional = (await interaction.optionalScopes?.(user, context)) ?? [];
  if (optional.length === 0) return {};
  const scope = chosenScope(body, grantableScope, optional);
  if (scope === grantableScope) return {};
  authorization.grantedScope = scope;
  const hasDetails = detailsOf(authorization.data['authorization_details']).length > 0;
  return scope !== '' || hasDetails ? { scope } : undefined;
}

/** Returns the grantable scope without the optional values whose check box `granted_scope` is not checked. */
function chosenScope(body: unknown, grantable: string, optional: readonly string[]): string {
  const { granted_scope: sent } = (body ?? {}) as Record<string, unknown>;
  // A parser may return many values of one name as an object.
  const checked: readonly unknown[] = typeof sent === 'object' && sent !== null ? Object.values(sent) : [sent];
  const isAllowed = (value: string) => !optional.includes(value) || checked.includes(value);
  return grantable.split(' ').filter(isAllowed).join(' ');
}
