import { configurationError, isLoopbackName } from '../../../lib/internal.js';
import { examineTls, type Reply, send, type TlsFacts } from './send.js';

/** A host that exists nowhere. RFC 2606 §2 */
export const FORGED_HOST = 'forged.invalid';
const FORGED_ORIGIN = `https://${FORGED_HOST}`;

/** The responses of a deployment. A response is `undefined` if it is missing, or if its URL is unknown. */
export interface DeploymentFacts {
  readonly url: URL;
  /** Whether the deployment has a loopback address. */
  readonly isDevelopment: boolean;
  readonly tls: TlsFacts | undefined;
  /** The response to the same URL by http. */
  readonly plain: Reply | undefined;
  readonly document: Reply | undefined;
  /** The members of the metadata document. `undefined` if the document is missing. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** Replies to requests with a forged `Host`, `X-Forwarded-Host` or `X-Forwarded-Proto`, by the header. */
  readonly forged: Readonly<Record<string, readonly Reply[]>>;
  /** The authorization endpoint without parameters, and the login page. */
  readonly pages: Readonly<Record<string, Reply>>;
  /** The authorization endpoint, requested by a page of another origin. */
  readonly crossOriginPage: Reply | undefined;
  readonly token: Reply | undefined;
  /** A preflight request for the token endpoint from another origin. */
  readonly preflight: Reply | undefined;
  readonly jwks: Reply | undefined;
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** The headers that the examination forges, by the name that findings show. */
const FORGERIES: Readonly<Record<string, Record<string, string>>> = {
  Host: { Host: FORGED_HOST },
  'X-Forwarded-Host': { 'X-Forwarded-Host': FORGED_HOST, Forwarded: `host=${FORGED_HOST};proto=http` },
  'X-Forwarded-Proto': { 'X-Forwarded-Proto': 'http', 'X-Forwarded-Port': '80' },
};

/**
 * Examines a deployment from outside, with at most 20 requests, each with a timeout. Endpoints at another origin are not
 * requested.
 * @param text The issuer, or another URL at its origin.
 * @throws {InvalidArgumentError} If the text is not an http or https URL.
 */
export async function examineDeployment(text: string): Promise<DeploymentFacts> {
  if (!URL.canParse(text) || !/^https?:/i.test(text))
    throw configurationError(`the URL of a deployment must be an https URL. Got \`${text}\``);
  const url = new URL(text);
  const isTls = url.protocol === 'https:';
  const { document, metadata, documentUrl } = await findMetadata(url);
  const at = (member: string): URL | undefined => {
    const value = metadata?.[member];
    const one = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
    return one?.origin === url.origin ? one : undefined;
  };
  const [authorize, token, jwks] = [at('authorization_endpoint'), at('token_endpoint'), at('jwks_uri')];
  const login = authorize && new URL(authorize.href.replace(/authorize(?=[?/]?$)/, 'login'));
  const origin = { Origin: FORGED_ORIGIN };
  const preflight = { ...origin, 'Access-Control-Request-Method': 'POST' };
  const pages = {
    authorize: await to(authorize),
    login: login?.href === authorize?.href ? undefined : await to(login),
  };
  return {
    url,
    isDevelopment: isLoopbackName(url.hostname),
    tls: isTls ? await examineTls(url) : undefined,
    // Only the default port has a known counterpart.
    plain: isTls && url.port === '' ? await send(new URL(documentUrl.href.replace(/^https:/, 'http:'))) : undefined,
    document,
    metadata,
    forged: await forgeHeaders([documentUrl, authorize, pages.login?.status === 200 ? login : undefined]),
    pages: Object.fromEntries(Object.entries(pages).flatMap(([name, reply]) => (reply ? [[name, reply]] : []))),
    crossOriginPage: await to(authorize, { headers: origin }),
    token: await to(token, { method: 'POST', headers: FORM, body: 'grant_type=authorization_code&code=none' }),
    preflight: await to(token, { method: 'OPTIONS', headers: preflight }),
    jwks: await to(jwks),
  };
}

/** Sends a request if the URL is known. */
const to = (url: URL | undefined, options?: Parameters<typeof send>[1]) => (url ? send(url, options) : undefined);

/** Requests the metadata documents of an issuer until one is found. RFC 8414 §3.1, OpenID Connect Discovery §4 */
async function findMetadata(url: URL) {
  const path = url.pathname.replace(/\/$/, '');
  const documents = [
    `/.well-known/oauth-authorization-server${path}`,
    `${path}/.well-known/openid-configuration`,
    `/.well-known/openid-configuration${path}`,
  ].map((one) => new URL(one, url.origin));
  let first: Reply | undefined;
  for (const documentUrl of documents) {
    const document = await send(documentUrl);
    first ??= document;
    const metadata = document?.status === 200 ? parseObject(document.body) : undefined;
    if (metadata) return { document, metadata, documentUrl };
    // Without any response, the other paths would only wait too.
    if (!document) break;
  }
  return { document: first, metadata: undefined, documentUrl: documents[0]! };
}

/** Sends each forged header to each URL. */
async function forgeHeaders(urls: readonly (URL | undefined)[]): Promise<Record<string, readonly Reply[]>> {
  const replies: Record<string, Reply[]> = {};
  for (const [name, headers] of Object.entries(FORGERIES)) {
    const found = [];
    for (const url of urls) if (url) found.push(await send(url, { headers }));
    replies[name] = found.filter((one) => one !== undefined);
  }
  return replies;
}

/** Returns the object of a JSON text, or `undefined`. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
