import { audienceOf, namedClaims } from '../../lib/internal.js';
import type {
  ConsentRequest,
  AuthorizationRequest,
  ConsentModel,
  Model,
  OAuthError,
  PartialConsent,
  Request,
  User,
} from '../../lib/index.js';
import { toOAuthRequest, type NativeRequest } from '../http/http-adapter.js';
import type {
  ConsentContext,
  InteractionResponse,
  InteractionContext,
  OAuth2Interaction,
} from '../interfaces/oauth2-interaction.interface.js';
import { isSameUser } from '../interaction/same-user.js';
import { withQuery } from './local-path.js';
import { chooseOrganization, chosenOrganization } from './organizations/choice.js';
import { ORGANIZATIONS } from './organizations/organizations.js';
import type { Fields } from './render/contexts.js';
import { preferencesOf, type Site } from './site.js';

/** The interaction of the ready-made pages: login and consent. */
export class PagesInteraction implements OAuth2Interaction {
  /** Lets the user choose an organization. Not defined without the option `organizations`. */
  readonly choose?: NonNullable<OAuth2Interaction['choose']>;

  constructor(private readonly site: Site) {
    if (site.server.find(ORGANIZATIONS)) this.choose = (user, context) => chooseOrganization(site, user, context);
  }

  async findUser({ request }: InteractionContext) {
    return this.site.findUser(requestOf(request));
  }

  async howSignedIn(user: User, { request }: InteractionContext) {
    return this.site.sessions.howSignedIn?.(user, requestOf(request));
  }

  login({ request, returnTo, requestedLogin }: InteractionContext): InteractionResponse {
    const oauthRequest = requestOf(request);
    const { signUp } = this.site.accountLinks(oauthRequest);
    if (!requestedLogin.createAccount || signUp === undefined)
      return { redirect: this.site.loginPath(oauthRequest, returnTo, requestedLogin) };
    // A new user also returns to the login page, in order to sign in.
    const { acr, loginHint: hint, locales } = requestedLogin;
    const back = this.site.loginPath(oauthRequest, returnTo, { acr, loginHint: hint, locales });
    return { redirect: withQuery(signUp, { return_to: back, login_hint: requestedLogin.loginHint }) };
  }

  /**
   * Returns whether the model has stored a consent. If the model stores none, users are always asked. A consent to a
   * part of the scope counts only if the refused values are still optional.
   */
  async hasConsented(user: User, { authorization }: InteractionContext): Promise<boolean | PartialConsent> {
    const consent = await this.model.hasConsented?.(user, consentRequestOf(authorization));
    const organization = chosenOrganization(authorization.data)?.id;
    // A model that does not know organizations returns a consent without one. It could be for another organization.
    if (organization !== undefined && organizationOf(consent) !== organization) return false;
    if (typeof consent !== 'object') return consent === true;
    if (consent.scope === undefined) return organization !== undefined;
    const optional = this.site.optionalScopesOf(authorization);
    const allowed = consent.scope.split(' ');
    const isStillOptional = valuesOf(authorization).every((one) => allowed.includes(one) || optional.includes(one));
    return isStillOptional && { scope: consent.scope };
  }

  optionalScopes(_user: User, { authorization }: InteractionContext): readonly string[] {
    return this.site.optionalScopesOf(authorization);
  }

  async saveConsent(user: User, context: InteractionContext): Promise<void> {
    const { authorization } = context;
    const { client, issuer, grantableScope, grantedScope = grantableScope } = authorization;
    const allowed = (grantedScope ?? '').split(' ');
    const refused = valuesOf(authorization).filter((one) => !allowed.includes(one));
    await this.model.saveConsent?.(user, {
      ...consentRequestOf(authorization),
      scope: grantedScope,
      ...(refused.length > 0 && { refusedScope: refused.join(' ') }),
    });
    // What ended the session in the meantime, such as a change of the password, may not have found this consent.
    if (isSameUser(await this.findUser(context), user)) return;
    const at = issuer === undefined ? undefined : { issuer };
    await this.model.forgetConsent?.({ userId: String(user['id']), clientId: client.id, ...at });
  }

  async consent(
    user: User,
    { authorization, request, returnTo, action, csrfToken }: ConsentContext,
  ): Promise<InteractionResponse> {
    const { client, grantableScope: scope = '', redirectUri, data } = authorization;
    const oauthRequest = requestOf(request);
    await this.site.renderer.loadLanguage(preferencesOf(oauthRequest, returnTo));
    const pageData = {
      user,
      client,
      scopes: scope.split(' ').filter(Boolean),
      optionalScopes: this.site.optionalScopesOf(authorization),
      redirectUri,
      resources: audienceOf(data['resource']),
      claims: namedClaims(data),
      organization: chosenOrganization(data),
      details: this.site.detailsFor(data, preferencesOf(oauthRequest, returnTo)),
      clientHost: client.clientIdHost,
      ...(await this.site.logoOf(client)),
      action,
      fields: { csrf_token: csrfToken, ...choiceField(data) },
      accounts: this.site.loginPath(oauthRequest, returnTo),
    };
    return this.site.renderer.render('consent', pageData, preferencesOf(oauthRequest, returnTo));
  }

  async showError(error: OAuthError, { request }: Pick<InteractionContext, 'request'>): Promise<InteractionResponse> {
    const { originalUrl, url } = request as NativeRequest;
    const preferences = preferencesOf(requestOf(request), originalUrl ?? url);
    await this.site.renderer.loadLanguage(preferences);
    return this.site.renderer.render('error', { error }, preferences, error.code);
  }

  private get model(): Partial<ConsentModel> {
    return this.site.server.options.model as Model & Partial<ConsentModel>;
  }
}

const valuesOf = ({ grantableScope = '' }: AuthorizationRequest) => grantableScope.split(' ').filter(Boolean);

const requestOf = (native: unknown): Request => toOAuthRequest(native as NativeRequest);

/** Returns the organization of a remembered consent. */
const organizationOf = (consent: unknown): unknown =>
  typeof consent === 'object' && consent !== null && 'organization' in consent ? consent.organization : undefined;

/** Returns the field with which the consent form repeats the chosen organization. */
function choiceField(data: object): Fields {
  const chosen = chosenOrganization(data);
  return chosen ? { choice: chosen.id } : {};
}

/** Returns the consent request in the form that the model stores. */
const consentRequestOf = ({ grantableScope: scope, ...authorization }: AuthorizationRequest): ConsentRequest => ({
  ...authorization,
  scope,
});
