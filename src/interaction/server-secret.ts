import type { OAuth2Server, ServerContext } from '../../lib/index.js';

const secrets = new WeakMap<ServerContext, string>();

/** Keeps the option `secret` of a server for its features. Features receive the engine's options, and `secret` is not one of them. */
export function keepSecret({ facts }: Pick<OAuth2Server, 'facts'>, secret: string): void {
  // A stand-in of a test has no facts.
  if (facts) secrets.set(facts, secret);
}

/** Returns the option `secret` of a server, or `undefined` if it has no interaction. */
export const secretOf = (server: ServerContext): string | undefined => secrets.get(server);
