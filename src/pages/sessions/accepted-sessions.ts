import { signInClaims } from '../../../lib/internal.js';
import type { Request, Token } from '../../../lib/index.js';
import type { SessionAccess } from '../../guards/session-access.js';
import type { Site } from '../site.js';

/** The login sessions of a site as the principals of guarded requests. */
export class AcceptedSessions implements SessionAccess {
  readonly isDefault: boolean;
  private readonly scope: string | undefined;

  constructor(private readonly site: Site) {
    const { scopes, isDefault } = site.options.acceptSessions;
    this.isDefault = isDefault;
    this.scope = scopes.length > 0 ? scopes.join(' ') : undefined;
  }

  async find(request: Request): Promise<Token | undefined> {
    const { modelSessions, sessions, options } = this.site;
    if (modelSessions) {
      const session = await modelSessions.findSession(request);
      if (!session) return undefined;
      const { user, expiresAt, id, issuer } = session;
      return this.principal({ user, accessTokenExpiresAt: expiresAt, grantId: id, issuer, ...signInClaims(session) });
    }
    const user = await sessions.find(request);
    if (!user) return undefined;
    const signIn = (await sessions.howSignedIn?.(user, request)) || {};
    // The sessions of the application do not tell when they expire. Open connections find them again.
    const accessTokenExpiresAt = new Date(Date.now() + options.sessionLifetime * 1000);
    return this.principal({ user, accessTokenExpiresAt, ...signInClaims(signIn) });
  }

  /** Returns a token of a user without a client, whose only scopes are those of the option. */
  private principal(session: Partial<Token>): Token {
    return { ...session, ...(this.scope !== undefined && { scope: this.scope }) } as Token;
  }
}
