import type { AuthorizationRequest, OAuthError, Response, SignIn, User } from '../../lib/index.js';
import type { InteractionContext } from '../interfaces/oauth2-interaction.interface.js';
import type { BrowserCookie } from '../pages/sessions/browser-cookie.js';

/** Returns the details of a decision for its event. */
export function eventDetails(user: User, { authorization }: InteractionContext) {
  const { client, issuer, grantableScope, grantedScope: scope = grantableScope } = authorization;
  return { endpoint: 'authorize', issuer, clientId: client.id, userId: user['id'] as unknown, scope };
}

/** An authorization request as it was read. If it is invalid, `failure` is the error to return to the client. */
export interface ReadRequest {
  readonly authorization: AuthorizationRequest;
  readonly failure?: OAuthError;
  /** Whether the user must not be asked to sign in (`prompt=none`). */
  readonly silent?: boolean;
}

/** An invalid authorization request and the state of its browser. */
export interface InvalidRequest {
  context: InteractionContext;
  response: Response;
  user: User | undefined;
  silent: boolean | undefined;
}

/** An authorization request, the user's authentication state, and the response to the browser. */
export interface UserInteraction {
  context: InteractionContext;
  response: Response;
  user: User | undefined;
  signIn: SignIn | undefined;
  promptState: string | undefined;
  /** The text that binds a prompt state to this authorization request. */
  binding: string;
  /** The cookie that binds prompt states to the browser. */
  cookie: BrowserCookie;
}
