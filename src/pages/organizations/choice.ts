import { InteractionRequiredError, type User } from '../../../lib/index.js';
import { type NativeRequest, toOAuthRequest } from '../../http/http-adapter.js';
import type { ChoiceContext, Choices } from '../../interfaces/oauth2-interaction.interface.js';
import type { PageData } from '../render/page-renderer.js';
import { preferencesOf, type Site } from '../site.js';
import { notMember, ORG_ID, ORGANIZATION } from './hooks.js';
import { type Organization, ORGANIZATIONS, organizationsOf } from './organizations.js';

/** The organizations that were chosen, by the `data` of the authorization request. */
const chosenOrganizations = new WeakMap<object, Organization>();

/** Returns the organization that was chosen for an authorization request, by its `data`. `undefined` if none was. */
export const chosenOrganization = (data: object): Organization | undefined => chosenOrganizations.get(data);

/**
 * Finds the organization of an authorization request: the one that the client requests, the only one of the user, or the
 * one that the user has chosen. Otherwise shows the page to choose one. A user without organizations chooses none.
 */
export async function chooseOrganization(site: Site, user: User, context: ChoiceContext): Promise<Choices> {
  const { client, issuer, data } = context.authorization;
  const listed = await organizationsOf(site.server.find(ORGANIZATIONS)!, user, { client, issuer });
  const requested = data[ORGANIZATION];
  const only = requested === undefined && listed.length === 1 ? listed[0]!.id : requested;
  const id = only ?? context.choice;
  const chosen = listed.find((one) => one.id === id);
  // Not the page: tokens for another organization than the requested one could mix up the data of two customers.
  if (requested !== undefined && !chosen) return { error: notMember(String(requested)) };
  if (chosen) {
    data[ORG_ID] = chosen.id;
    chosenOrganizations.set(data, chosen);
    return { choices: { [ORGANIZATION]: chosen.id } };
  }
  if (listed.length === 0) return {};
  if (context.silent) return { error: new InteractionRequiredError(CHOICE_REQUIRED) };
  return { page: await pageOf(listed, { site, user, context }) };
}

const CHOICE_REQUIRED = 'Interaction required: the user has to choose an organization';

async function pageOf(
  organizations: readonly Organization[],
  { site, user, context }: { site: Site; user: User; context: ChoiceContext },
) {
  const { authorization, request, returnTo, action, csrfToken, choice, isExpired } = context;
  const oauthRequest = toOAuthRequest(request as NativeRequest);
  const problem = isExpired ? 'formExpired' : choice === undefined ? undefined : 'organizationInvalid';
  const data: PageData<'organization'> = {
    user,
    client: authorization.client,
    organizations,
    action,
    fields: { csrf_token: csrfToken },
    accounts: site.loginPath(oauthRequest, returnTo),
    ...(problem && { problem }),
  };
  const status = problem === undefined ? 200 : isExpired ? 403 : 400;
  const preferences = preferencesOf(oauthRequest, returnTo);
  await site.renderer.loadLanguage(preferences);
  return site.renderer.render('organization', data, preferences, status);
}
