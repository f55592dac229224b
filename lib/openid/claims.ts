import { ServerError } from '../errors/index.js';
import { CLAIMS_IN_ID_TOKEN } from './client-fields.js';
import type { CoreClient, User } from '../model/model.js';
import { scopeText } from '../tokens/scope.js';
import { isTranslated } from './claims-locales.js';
import type { RequestedClaims } from './claims-parameter.js';
import type { ClaimsRequest, OpenIdModel } from './openid-model.js';
import { RESERVED } from './scopes.js';

/** What was granted to whom. */
interface ClaimsContext {
  client: CoreClient;
  user: User;
  scope: unknown;
  asked: RequestedClaims | undefined;
  /** The languages that the client would have them in, the best first. OpenID Connect Core §5.2 */
  locales: readonly string[] | undefined;
  /** There is no access token with which the rest could be asked for. OpenID Connect Core §5.4 */
  alone?: boolean | undefined;
}

/** Which claims of a user a client may have. */
export class Claims {
  constructor(
    private readonly scopes: ReadonlyMap<string, readonly string[]>,
    private readonly settings: { claimsInIdToken: boolean },
  ) {}

  /** What the model knows of those that were granted: what nobody asked for is not said, whatever the model returns. */
  async of(
    model: OpenIdModel,
    location: ClaimsRequest['location'],
    context: ClaimsContext,
  ): Promise<Record<string, unknown>> {
    const { client, user, asked, locales = [], alone } = context;
    const scope = scopeText(context.scope) ?? '';
    const requests = asked?.[location] ?? {};
    const includesScopes = location === 'userinfo' || alone || this.inIdTokenOf(client);
    const byScope = includesScopes ? scope.split(' ').flatMap((one) => this.scopes.get(one) ?? []) : [];
    const wanted = new Set([...byScope, ...Object.keys(requests)].filter((name) => !RESERVED.has(name)));
    if (wanted.size === 0) return {};
    const known =
      (await model.getClaims(user, { client, names: [...wanted], requests, locales, scope, location })) || {};
    const said = Object.entries(known).filter(([name]) => wanted.has(name) || isTranslated(name, wanted, locales));
    return Object.fromEntries(
      said.map(([name, value]) => [name, toJson(name, value)]).filter(([, one]) => isKnown(one)),
    );
  }

  /** Whether ID tokens of this client contain the claims of scopes. The registration of the client overrides the option. */
  private inIdTokenOf(client: CoreClient): boolean {
    const own: unknown = CLAIMS_IN_ID_TOKEN.of(client);
    return typeof own === 'boolean' ? own : this.settings.claimsInIdToken;
  }
}

/**
 * As JSON has it, before anything is spent for what cannot be said.
 * @throws ServerError for a bigint, a circle, …
 */
function toJson(name: string, value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch (error) {
    const reason = 'what `getClaims()` says of a user is what JSON can hold';
    throw new ServerError('Server error: a claim cannot be said').because({
      reason,
      given: `${name}: ${String(error)}`,
    });
  }
}

/** A claim that is not known is left out, and never null or empty. OpenID Connect Core §5.3.2 */
const isKnown = (value: unknown) => value !== undefined && value !== null && value !== '';
