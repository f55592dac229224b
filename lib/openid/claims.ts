import { ServerError } from '../errors/index.js';
import { CLAIMS_IN_ID_TOKEN } from './client-fields.js';
import type { ServerContext } from '../contracts/feature.js';
import { NO_CLAIMS, warnOfModelMistake } from '../model/model-mistakes.js';
import type { CoreClient, User } from '../model/model.js';
import { scopeText } from '../tokens/scope.js';
import { isTranslated } from './claims-locales.js';
import type { RequestedClaims } from './claims-parameter.js';
import type { ClaimsRequest, OpenIdModel } from './openid-model.js';
import { RESERVED } from './scopes.js';

/** The client, the user and the granted scope for which user claims are selected. */
interface ClaimsContext {
  client: CoreClient;
  user: User;
  scope: unknown;
  requestedClaims: RequestedClaims | undefined;
  /** The languages of claims that the client prefers, the best first. OpenID Connect Core §5.2 */
  locales: readonly string[] | undefined;
  /**
   * Whether no access token is issued. The ID token then contains all claims, because the client cannot call the
   * userinfo endpoint. OpenID Connect Core §5.4
   */
  hasNoAccessToken?: boolean | undefined;
}

/** The selection of user claims that clients receive, in ID tokens and from the userinfo endpoint. */
export class Claims {
  constructor(
    private readonly scopes: ReadonlyMap<string, readonly string[]>,
    private readonly settings: { claimsInIdToken: boolean },
  ) {}

  /** Returns the claims that the client requested and was granted. Other claims that the model returns are left out. */
  async of(
    model: OpenIdModel,
    location: ClaimsRequest['location'],
    context: ClaimsContext,
  ): Promise<Record<string, unknown>> {
    const { client, user, requestedClaims, locales = [], hasNoAccessToken } = context;
    const scope = scopeText(context.scope) ?? '';
    const requests = requestedClaims?.[location] ?? {};
    const includesScopes = location === 'userinfo' || hasNoAccessToken || this.inIdTokenOf(client);
    const byScope = includesScopes ? scope.split(' ').flatMap((one) => this.scopes.get(one) ?? []) : [];
    const requestedNames = new Set([...byScope, ...Object.keys(requests)].filter((name) => !RESERVED.has(name)));
    if (requestedNames.size === 0) return {};
    const request = { client, names: [...requestedNames], requests, locales, scope, location };
    const available = await model.getClaims(user, request);
    if (available === undefined) warnOfModelMistake(model, NO_CLAIMS);
    const entries = Object.entries(available || {});
    for (const [name] of entries) warnOfCamelCase(model, name, requestedNames);
    const returned = entries.filter(
      ([name]) => requestedNames.has(name) || isTranslated(name, requestedNames, locales),
    );
    return Object.fromEntries(
      returned.map(([name, value]) => [name, toJson(name, value)]).filter(([, one]) => isKnown(one)),
    );
  }

  /**
   * Whether ID tokens of this client contain the claims of scopes. The registration of the client overrides the option.
   */
  private inIdTokenOf(client: CoreClient): boolean {
    const own: unknown = CLAIMS_IN_ID_TOKEN.of(client);
    return typeof own === 'boolean' ? own : this.settings.claimsInIdToken;
  }
}

/** Warns of a claim in camel case, such as `givenName` for `given_name`, which no client receives. */
function warnOfCamelCase(model: OpenIdModel, name: string, requestedNames: ReadonlySet<string>): void {
  if (requestedNames.has(name)) return;
  const meant = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (meant === name || !requestedNames.has(meant)) return;
  const mistake = `the model's \`getClaims()\` returned \`${name}\`, which no client receives: name the claim \`${meant}\``;
  warnOfModelMistake(model, mistake);
}

/** Returns the claims that features add for the members stored with a code or token. */
export function claimsOfFeatures({ hooks }: ServerContext, stored: Readonly<Record<string, unknown>>): object {
  const claims = {};
  for (const identify of hooks.token.identify) Object.assign(claims, identify(stored));
  return claims;
}

/**
 * Returns the JSON form of a claim. This detects invalid values before a code or token is consumed.
 * @throws {ServerError} If JSON cannot represent the value, for example a bigint or a circular structure.
 */
function toJson(name: string, value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch (error) {
    const reason = '`getClaims()` returned a value that JSON cannot represent';
    throw new ServerError('Server error: a claim cannot be represented in JSON').because({
      reason,
      given: `${name}: ${String(error)}`,
    });
  }
}

/** Whether a claim has a value. Claims that are `null` or empty are omitted. OpenID Connect Core §5.3.2 */
const isKnown = (value: unknown) => value !== undefined && value !== null && value !== '';
