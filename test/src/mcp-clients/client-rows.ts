import { readFileSync } from 'node:fs';

/** A request that a client sends to find the metadata of the authorization server. */
export type DiscoveryStep = 'challenge' | 'head-challenge' | 'server' | 'openid-appended';

/** The requests of a real MCP client, as published or measured. docs/guides/mcp-clients.md contains the table of all rows. */
export interface ClientRow {
  client: string;
  /** The day or the month in which the values were published or measured. */
  found: string;
  source: string;
  /** The client ID metadata document, if the client has one. */
  document?: { client_id: string; jwks_uri?: string; [member: string]: unknown };
  /** The body of the registration request. `{scope}` stands for the scope of the first request. */
  registration?: Record<string, unknown>;
  /** The redirect URI of authorization requests. */
  redirectUri: string;
  /** Whether the client uses another port each time. */
  anyPort?: boolean;
  discovery: readonly DiscoveryStep[];
  /** Where the scope of the first request comes from: the challenge, or the metadata of the resource or the server. */
  scope: 'challenge' | 'resource' | 'server';
  /** The action of the client when its user signs out. `none`: the client only forgets its tokens. */
  signOut: 'revocation' | 'none' | 'unknown';
}

/** All clients of the table. */
export const CLIENT_ROWS = JSON.parse(
  readFileSync(new URL('clients.json', import.meta.url), 'utf8'),
) as readonly ClientRow[];
