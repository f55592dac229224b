/** The redirect URIs of a client, and the sector that they need for pairwise subjects. */
export interface ClientShape {
  /** The common property of the redirect URIs, for the title of a test. */
  readonly shape: string;
  readonly redirectUris: readonly string[];
  /** Set if the redirect URIs have several hosts or schemes. */
  readonly sectorIdentifierUri?: string;
}

/**
 * Returns clients with redirect URIs of one or several hosts, schemes and ports. Each has `callback`, so that a test
 * can sign in at all of them in the same way. With `sectorIdentifierUri`, they share one sector.
 */
export function clientShapes(callback: string): readonly ClientShape[] {
  const { host, hostname, origin } = new URL(callback);
  const several = (shape: string, ...more: string[]) => ({
    shape,
    redirectUris: [callback, ...more],
    sectorIdentifierUri: `${origin}/sector.json`,
  });
  return [
    { shape: 'one host', redirectUris: [callback] },
    { shape: 'two ports', redirectUris: [callback, `https://${hostname}:8443/callback`] },
    several('two hosts', `https://eu.${host}/callback`),
    several('two schemes', 'http://localhost:3000/callback', 'http://127.0.0.1/callback', 'http://[::1]/callback'),
    several('a web page and an application', 'com.example.app:/callback'),
  ];
}

/** Returns a client without its sector, as most applications configure one. */
export const withoutSector = ({ redirectUris }: ClientShape) => ({ redirectUris });
