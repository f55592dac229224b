import type { OpenAPIObject } from '@nestjs/swagger';

import { assertConfig, supportedGrantTypes } from '../../lib/internal.js';
import { DEFINED_SCOPES } from '../decorators/define-scopes.js';
import type { DescribedServer } from './servers.js';

/** The OAuth flows of OpenAPI. OpenAPI 3.0 §4.7.28 */
export type Flow = 'authorizationCode' | 'clientCredentials' | 'implicit' | 'password';

/** The URLs of the authorization and token endpoints of a server that runs separately. */
export interface ServerUrls {
  readonly authorize?: string;
  readonly token?: string;
}

/** The options of `addOAuth2()` that concern flows. */
interface FlowOptions {
  readonly flows: readonly Flow[] | undefined;
  readonly urls: ServerUrls | undefined;
}

type Schemes = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>;

/** A security scheme. OpenAPI 3.0 §4.7.27 */
export type Scheme = Exclude<Schemes[string], { $ref: string }>;

/** The scopes that the operations require. */
interface RequiredScopes {
  readonly requiredScopes: readonly string[];
}

const GRANTS: Readonly<Record<Flow, string>> = {
  authorizationCode: 'authorization_code',
  clientCredentials: 'client_credentials',
  implicit: 'implicit',
  password: 'password',
};

/** The flows that are documented by default. New clients should use no others. RFC 9700 §2.1.2, §2.4 */
const DEFAULT_FLOWS: readonly Flow[] = ['authorizationCode', 'clientCredentials'];

/** Returns the security scheme for the tokens of a server. If no flow can be documented, it describes bearer tokens. */
export function schemeOf(
  server: DescribedServer,
  { flows, urls = {}, requiredScopes }: FlowOptions & RequiredScopes,
): Scheme {
  const authorizationUrl = urls.authorize ?? server.urlOf('authorize');
  const tokenUrl = urls.token ?? server.urlOf('token');
  const supported = supportedFlows(server, urls);
  const documented = (flows ?? DEFAULT_FLOWS).filter((flow) => supported.includes(flow));
  if (documented.length === 0) return { type: 'http', scheme: 'bearer', description: 'An access token. RFC 6750' };
  const grants = new Set(supportedGrantTypes(server.context, true));
  const ends = {
    authorizationCode: { authorizationUrl, tokenUrl },
    clientCredentials: { tokenUrl },
    implicit: { authorizationUrl },
    password: { tokenUrl },
  };
  const scopes = scopesOf(server, requiredScopes);
  const refreshes = (flow: Flow) =>
    (flow === 'authorizationCode' || flow === 'password') && grants.has('refresh_token');
  const definitions = documented.map((flow) => [
    flow,
    { ...ends[flow], ...(refreshes(flow) && { refreshUrl: tokenUrl }), scopes },
  ]);
  return { type: 'oauth2', flows: Object.fromEntries(definitions) as NonNullable<Scheme['flows']> };
}

/**
 * Verifies that the servers support the flows of the option `flows`.
 * @throws {InvalidArgumentError} If a listed flow is not supported.
 */
export function verifyFlows(servers: readonly DescribedServer[], { flows = [], urls = {} }: FlowOptions): void {
  const supported = new Set(servers.flatMap((server) => supportedFlows(server, urls)));
  const unsupported = flows.find((flow) => !supported.has(flow));
  assertConfig(
    unsupported === undefined,
    `\`flows\` of addOAuth2() contains \`${unsupported}\`, but the server supports ${listed([...supported])}`,
  );
}

/** Adds security schemes to a document. Descriptions and extensions that the application has set stay. */
export function addSchemes(document: OpenAPIObject, newSchemes: Readonly<Record<string, Scheme>>): void {
  const { securitySchemes = {} } = document.components ?? {};
  const schemes = Object.entries(newSchemes).map(([key, scheme]) => {
    const before = Object.entries(securitySchemes[key] ?? {});
    const existing = Object.fromEntries(before.filter(([name]) => isKept(name)));
    return [key, Object.assign({}, scheme, existing)] as const;
  });
  document.components = {
    ...document.components,
    securitySchemes: { ...securitySchemes, ...Object.fromEntries(schemes) },
  };
}

const isKept = (member: string) => member === 'description' || member.startsWith('x-');

/** Returns the scopes that the application has defined, and others that operations require. */
function scopesOf({ context }: DescribedServer, requiredScopes: readonly string[]): Record<string, string> {
  const definitions = Object.entries(context.find(DEFINED_SCOPES) ?? {});
  const scopes = new Map(definitions.map(([name, { title }]) => [name, title]));
  for (const name of requiredScopes) if (!scopes.has(name)) scopes.set(name, '');
  return Object.fromEntries(scopes);
}

/** Returns the flows that a server supports. For a server that runs separately, the option `urls` determines them. */
function supportedFlows({ context, urlOf }: DescribedServer, urls: ServerUrls): readonly Flow[] {
  const all = Object.keys(GRANTS) as Flow[];
  if (urls.token !== undefined || urls.authorize !== undefined) {
    return all.filter(
      (flow) =>
        (urls.authorize !== undefined || (flow !== 'authorizationCode' && flow !== 'implicit')) &&
        (urls.token !== undefined || flow === 'implicit'),
    );
  }
  const grants = supportedGrantTypes(context, urlOf('authorize') !== undefined);
  return all.filter((flow) => grants.includes(GRANTS[flow]));
}

const listed = (flows: readonly Flow[]) =>
  flows.length === 0 ? 'no flow' : flows.map((flow) => `\`${flow}\``).join(', ');
