import type { OpenAPIObject } from '@nestjs/swagger';
import { servedGrantTypes } from '../../lib/features/server-metadata/derived-metadata.js';
import { verify } from '../configuration/verify.js';
import type { DescribedServer } from './servers.js';

/** The ways to a token that OpenAPI has names for. OpenAPI 3.0 §4.7.28 */
export type Flow = 'authorizationCode' | 'clientCredentials' | 'implicit' | 'password';

/** Where a server that lives apart has its endpoints. */
export interface ServerUrls {
  readonly authorize?: string;
  readonly token?: string;
}

interface Wanted {
  readonly flows: readonly Flow[] | undefined;
  readonly urls: ServerUrls | undefined;
  /** What each scope allows. */
  readonly scopes: Readonly<Record<string, string>>;
}

type Schemes = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>;
type Scheme = Exclude<Schemes[string], { $ref: string }>;

const GRANTS: Readonly<Record<Flow, string>> = {
  authorizationCode: 'authorization_code',
  clientCredentials: 'client_credentials',
  implicit: 'implicit',
  password: 'password',
};

/** New clients should have neither of the others. RFC 9700 §2.1.2, §2.4 */
const USUAL: readonly Flow[] = ['authorizationCode', 'clientCredentials'];

/**
 * How to get a token for the operations of a document. Of a server that is not there, and of which nothing is told, it is
 * known only that its tokens are bearer tokens.
 */
export function schemeOf(server: DescribedServer, { flows, urls = {}, scopes }: Wanted): Scheme {
  const authorizationUrl = urls.authorize ?? server.urlOf('authorize');
  const tokenUrl = urls.token ?? server.urlOf('token');
  const served = servedFlows(server, urls);
  const odd = flows?.find((flow) => !served.includes(flow));
  verify(odd === undefined, `\`flows\` of addOAuth2() lists \`${odd}\`, and there ${listed(served)}`);
  const told = flows ?? USUAL.filter((flow) => served.includes(flow));
  if (told.length === 0) return { type: 'http', scheme: 'bearer', description: 'An access token. RFC 6750' };
  const grants = new Set(servedGrantTypes(server.facts, true));
  const ends = {
    authorizationCode: { authorizationUrl, tokenUrl },
    clientCredentials: { tokenUrl },
    implicit: { authorizationUrl },
    password: { tokenUrl },
  };
  const refreshes = (flow: Flow) =>
    (flow === 'authorizationCode' || flow === 'password') && grants.has('refresh_token');
  const said = told.map((flow) => [flow, { ...ends[flow], ...(refreshes(flow) && { refreshUrl: tokenUrl }), scopes }]);
  return { type: 'oauth2', flows: Object.fromEntries(said) as NonNullable<Scheme['flows']> };
}

/** Of a server that lives apart the host says where it is, and which flows it has. */
function servedFlows({ facts, urlOf }: DescribedServer, urls: ServerUrls): readonly Flow[] {
  const all = Object.keys(GRANTS) as Flow[];
  if (urls.token !== undefined || urls.authorize !== undefined) {
    return all.filter(
      (flow) =>
        (urls.authorize !== undefined || (flow !== 'authorizationCode' && flow !== 'implicit')) &&
        (urls.token !== undefined || flow === 'implicit'),
    );
  }
  const grants = servedGrantTypes(facts, urlOf('authorize') !== undefined);
  return all.filter((flow) => grants.includes(GRANTS[flow]));
}

const listed = (flows: readonly Flow[]) =>
  flows.length === 0 ? 'is none' : `are ${flows.map((flow) => `\`${flow}\``).join(', ')}`;
