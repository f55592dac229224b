import type { OpenAPIObject } from '@nestjs/swagger';
import { assertConfig, supportedGrantTypes } from '../../lib/adapter/index.js';
import { DEFINED_SCOPES } from '../decorators/define-scopes.js';
import type { DescribedServer } from './servers.js';

/** The ways to a token that OpenAPI has names for. OpenAPI 3.0 §4.7.28 */
export type Flow = 'authorizationCode' | 'clientCredentials' | 'implicit' | 'password';

/** Where a server that lives apart has its endpoints. */
export interface ServerUrls {
  readonly authorize?: string;
  readonly token?: string;
}

/** What the host says of flows. */
interface FlowOptions {
  readonly flows: readonly Flow[] | undefined;
  readonly urls: ServerUrls | undefined;
}

type Schemes = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>;

/** How a token is got. OpenAPI 3.0 §4.7.27 */
export type Scheme = Exclude<Schemes[string], { $ref: string }>;

/** The scopes that operations demand. */
interface RequiredScopes {
  readonly requiredScopes: readonly string[];
}

const GRANTS: Readonly<Record<Flow, string>> = {
  authorizationCode: 'authorization_code',
  clientCredentials: 'client_credentials',
  implicit: 'implicit',
  password: 'password',
};

/** New clients should have neither of the others. RFC 9700 §2.1.2, §2.4 */
const DEFAULT_FLOWS: readonly Flow[] = ['authorizationCode', 'clientCredentials'];

/**
 * How to get a token for the operations of a document. Of a server that is not there, and of which nothing is told, it is
 * known only that its tokens are bearer tokens.
 */
export function schemeOf(
  server: DescribedServer,
  { flows, urls = {}, requiredScopes: asked }: FlowOptions & RequiredScopes,
): Scheme {
  const authorizationUrl = urls.authorize ?? server.urlOf('authorize');
  const tokenUrl = urls.token ?? server.urlOf('token');
  const served = supportedFlows(server, urls);
  const told = (flows ?? DEFAULT_FLOWS).filter((flow) => served.includes(flow));
  if (told.length === 0) return { type: 'http', scheme: 'bearer', description: 'An access token. RFC 6750' };
  const grants = new Set(supportedGrantTypes(server.context, true));
  const ends = {
    authorizationCode: { authorizationUrl, tokenUrl },
    clientCredentials: { tokenUrl },
    implicit: { authorizationUrl },
    password: { tokenUrl },
  };
  const scopes = scopesOf(server, asked);
  const refreshes = (flow: Flow) =>
    (flow === 'authorizationCode' || flow === 'password') && grants.has('refresh_token');
  const said = told.map((flow) => [flow, { ...ends[flow], ...(refreshes(flow) && { refreshUrl: tokenUrl }), scopes }]);
  return { type: 'oauth2', flows: Object.fromEntries(said) as NonNullable<Scheme['flows']> };
}

/** Checks that the flows that a host names are there. @throws InvalidArgumentError */
export function verifyFlows(servers: readonly DescribedServer[], { flows = [], urls = {} }: FlowOptions): void {
  const served = new Set(servers.flatMap((server) => supportedFlows(server, urls)));
  const odd = flows.find((flow) => !served.has(flow));
  assertConfig(odd === undefined, `\`flows\` of addOAuth2() lists \`${odd}\`, and there ${listed([...served])}`);
}

/** Adds schemes to a document. What the host has described and extended stays so. */
export function addSchemes(document: OpenAPIObject, made: Readonly<Record<string, Scheme>>): void {
  const { securitySchemes = {} } = document.components ?? {};
  const schemes = Object.entries(made).map(([key, scheme]) => {
    const before = Object.entries(securitySchemes[key] ?? {});
    const theirs = Object.fromEntries(before.filter(([name]) => isKept(name)));
    return [key, Object.assign({}, scheme, theirs)] as const;
  });
  document.components = {
    ...document.components,
    securitySchemes: { ...securitySchemes, ...Object.fromEntries(schemes) },
  };
}

const isKept = (member: string) => member === 'description' || member.startsWith('x-');

/** The scopes that the host has defined, and those that are asked besides. */
function scopesOf({ context: facts }: DescribedServer, asked: readonly string[]): Record<string, string> {
  const definitions = Object.entries(facts.find(DEFINED_SCOPES) ?? {});
  const scopes = new Map(definitions.map(([name, { title }]) => [name, title]));
  for (const name of asked) if (!scopes.has(name)) scopes.set(name, '');
  return Object.fromEntries(scopes);
}

/** Of a server that lives apart the host says where it is, and which flows it has. */
function supportedFlows({ context: facts, urlOf }: DescribedServer, urls: ServerUrls): readonly Flow[] {
  const all = Object.keys(GRANTS) as Flow[];
  if (urls.token !== undefined || urls.authorize !== undefined) {
    return all.filter(
      (flow) =>
        (urls.authorize !== undefined || (flow !== 'authorizationCode' && flow !== 'implicit')) &&
        (urls.token !== undefined || flow === 'implicit'),
    );
  }
  const grants = supportedGrantTypes(facts, urlOf('authorize') !== undefined);
  return all.filter((flow) => grants.includes(GRANTS[flow]));
}

const listed = (flows: readonly Flow[]) =>
  flows.length === 0 ? 'is none' : `are ${flows.map((flow) => `\`${flow}\``).join(', ')}`;
