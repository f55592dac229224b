/** What was ended: the tokens that match all of it. */
export interface RevokedTokens {
  accessToken?: string | undefined;
  grantId?: string | undefined;
  userId?: unknown;
  clientId?: string | undefined;
}

type Listener = (ended: RevokedTokens) => void;

const listeners = new Set<Listener>();

/**
 * Says in this process that tokens have ended, so that what they have opened is closed at once. The ready-made stores do so, and
 * the server for whatever model; for a host that ends tokens of its own model by itself. RFC 7009 §2
 */
export function notifyTokensRevoked(revoked: RevokedTokens): void {
  for (const listener of listeners) listener(revoked);
}

/** Calls a listener when tokens were revoked in this process. Returns a function that removes the listener. */
export function onTokensRevoked(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
