import { serverMetadata, revocation } from 'nest-oauth2/features';
import { type OAuth2ModuleOptions } from 'nest-oauth2';
import * as oauth from 'oauth4webapi';
import { pageOf } from '../../support/clients/consent.js';
import { CALLBACK } from '../../support/servers/demo.js';
import { readResponse, basic, bearer } from '../../support/clients/http.js';

/** The issuer, which clients and browsers use as base URL of the application. */
export const ISSUER = 'https://id.example';

/** The options that every application in the table has. */
export const OAUTH = {
  issuer: ISSUER,
  features: [serverMetadata(), revocation()],
} satisfies Partial<OAuth2ModuleOptions>;

/** A running application, as clients reach it. */
export interface ReachedRoutes {
  /** The URL that the application listens on. */
  url: string;
  issuer: string;
  /** The path of the guarded route. */
  notes: string;
  /** Headers that a client sends with every request. */
  headers: Record<string, string>;
  /** Changes a path as a proxy does before the application receives it. */
  rewrite(path: string): string;
}

/** The responses of an application, as a client observes them. */
export interface Observed {
  /** The metadata document and its token endpoint. */
  metadata: string;
  /** The redirect after Alice consented to the authorization request. */
  authorization: string;
  /** The response to the redemption of that authorization code. */
  token: string;
  /** The response to a wrong client secret. */
  refusal: string;
  /** The response of a guarded route to a request with the access token. */
  guarded: string;
  /** The response of a guarded route to a request with an unknown access token. */
  stranger: string;
  /** The response to the revocation request, and to the revoked token at the guarded route. */
  revocation: string;
}

const client: oauth.Client = { client_id: 'web' };
const secret = oauth.ClientSecretBasic('web-secret');
const alice = { cookie: 'user=alice' };

/** Sends all requests of a client to the application, based on its metadata. */
export async function exerciseApplication(host: ReachedRoutes): Promise<Observed> {
  const network = networkTo(host);
  const options = { [oauth.customFetch]: network };
  const issuer = new URL(host.issuer);
  const document = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' });
  const metadata = `${said(document)}: \`${await pathOf(document.clone())}\``;
  const server = await oauth.processDiscoveryResponse(issuer, document);

  const verifier = oauth.generateRandomCodeVerifier();
  const requested = new URL(server.authorization_endpoint!);
  const request = {
    response_type: 'code',
    client_id: 'web',
    scope: 'notes:read',
    state: 'xyz',
    redirect_uri: CALLBACK,
  };
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  for (const [name, value] of Object.entries({
    ...request,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })) {
    requested.searchParams.set(name, value);
  }
  const shown = await network(requested, { headers: alice });
  const page = saidPrivately(shown);
  const { action, csrf_token: csrfToken } = pageOf(await readResponse(shown));
  const form = {
    method: 'POST',
    headers: alice,
    body: new URLSearchParams({ csrf_token: csrfToken, decision: 'allow' }),
  };
  const sent = await network(new URL(action, requested), form);
  const landed = new URL(sent.headers.get('location')!);
  const parameters = oauth.validateAuthResponse(server, client, landed, 'xyz');
  const authorization = `page, ${saidPrivately(sent)} with ${[...parameters.keys()].filter((name) => name !== 'state').join(', ')}`;

  const redeemed = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    secret,
    parameters,
    CALLBACK,
    verifier,
    options,
  );
  const token = saidPrivately(redeemed);
  const { access_token: access } = await oauth.processAuthorizationCodeResponse(server, client, redeemed);

  const wrong = { grant_type: 'client_credentials', scope: 'notes:read' };
  const form2 = new URLSearchParams(wrong);
  const refused = await network(server.token_endpoint!, {
    method: 'POST',
    headers: basic('web', 'wrong'),
    body: form2,
  });
  const guarded = (authorized: Record<string, string>) => network(new URL(host.notes, issuer), { headers: authorized });
  const good = await guarded(bearer(access));
  const stranger = await guarded(bearer('made-up'));
  const revoked = await oauth.revocationRequest(server, client, secret, access, options);
  await oauth.processRevocationResponse(revoked.clone());
  return {
    metadata,
    authorization: page === '200' ? authorization : `${page}; ${authorization}`,
    token,
    refusal: await saidOf(refused, saidPrivately),
    guarded: await saidOf(good),
    stranger: await saidOf(stranger),
    revocation: `${saidPrivately(revoked)}, then ${(await guarded(bearer(access))).status}`,
  };
}

/** Sends requests for the issuer to the address where the application listens. */
const networkTo =
  ({ url, issuer, headers, rewrite }: ReachedRoutes): typeof fetch =>
  (input, init) => {
    const { origin, pathname, search } = new URL(String(input instanceof Request ? input.url : input));
    if (origin !== new URL(issuer).origin) throw new Error(`No server listens at ${origin}`);
    const sent = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) {
      // Browsers send the page’s own origin with a form, which a proxy does not rewrite.
      if (name !== 'origin' || !sent.has('cookie') || init?.method !== 'POST') sent.set(name, value);
    }
    return fetch(url + rewrite(pathname) + search, { ...init, headers: sent, redirect: 'manual' });
  };

async function pathOf(document: Response): Promise<string> {
  const { token_endpoint: endpoint } = (await document.json()) as { token_endpoint: string };
  return new URL(endpoint).pathname;
}

/** Describes the status and the notable headers of a response. */
function said({ status, headers }: Response): string {
  const readers = headers.get('access-control-allow-origin');
  const remarks = [
    headers.has('www-authenticate') ? 'challenge' : '',
    headers.get('content-encoding') ?? '',
    readers ? `readable by ${readers === '*' ? 'all origins' : 'that origin'}` : '',
  ];
  return [status, ...remarks.filter(Boolean)].join(', ');
}

/** Describes a response and checks that it may be neither cached nor shown in a frame. */
function saidPrivately(answer: Response): string {
  const kept = answer.headers.get('cache-control') === 'no-store' ? '' : ', may be kept';
  const isPage = answer.headers.get('content-type')?.startsWith('text/html');
  const framed = isPage && !answer.headers.get('content-security-policy')?.includes("frame-ancestors 'none'");
  return said(answer) + kept + (framed ? ', may be framed' : '');
}

/** Describes a response and its body: the handler’s result or the error, even if the application wraps it. */
async function saidOf(answer: Response, sayHead = said): Promise<string> {
  const body = (await answer.json()) as Record<string, unknown>;
  const wrapped = (body['data'] ?? body['reason'] ?? body) as { user?: string; client?: string; error?: string };
  const text = wrapped.error ? `\`${wrapped.error}\`` : `${wrapped.user} by ${wrapped.client}`;
  const [status, ...remarks] = sayHead(answer).split(', ');
  const how = wrapped === body ? '' : ", in the application's format";
  return [`${status} ${text}${how}`, ...remarks].join(', ');
}
