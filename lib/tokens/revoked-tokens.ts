/** Selects revoked tokens by token, grant, user or client. Every field that is set must match. */
export interface RevokedTokens {
  accessToken?: string | undefined;
  grantId?: string | undefined;
  userId?: unknown;
  clientId?: string | undefined;
}

type Listener = (ended: RevokedTokens) => void;

const listeners = new Set<Listener>();

/**
 * Notifies the listeners in this process that tokens were revoked, so that connections opened with them are closed at
 * once. The ready-made stores and the server call it. Call it yourself if your own model revokes tokens. RFC 7009 §2
 */
export function notifyTokensRevoked(revoked: RevokedTokens): void {
  for (const listener of listeners) listener(revoked);
}

/** Registers a listener for tokens that are revoked in this process. Returns a function that removes the listener. */
export function onTokensRevoked(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
