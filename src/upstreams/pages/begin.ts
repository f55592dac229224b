import type { PageCall } from '../../pages/toolkit/page-call.js';
import { type PageAnswer, PageRedirect } from '../../pages/toolkit/answers.js';
import { requestedAcr, textOf } from '../../pages/site.js';
import { Attempts } from '../attempts.js';
import { unionOf } from '../vault/vault-entry.js';
import { isUnavailable } from '../providers/upstream-fetch.js';
import type { Refusal } from '../refusals.js';
import { reportUpstreamRefusal } from '../upstream-events.js';
import { callbackEndpoint, UPSTREAM_SERVER } from '../upstream-server.js';

/** The purpose of an attempt. */
interface Purpose {
  readonly returnTo: string | undefined;
  /** The ID of the user who links the provider. `undefined` to sign in. */
  readonly linkTo?: string | undefined;
  /** The scope that an application requires, in addition to that of the provider. */
  readonly scope?: string | undefined;
  /** The user name for the provider. Default: the `login_hint` of the request. */
  readonly loginHint?: string;
}

/**
 * Begins a sign-in with a provider, or a link: sets the cookie of the attempt, and sends the browser to the provider.
 * @returns the answer, or why the attempt cannot begin
 */
export async function beginAttempt(
  call: PageCall,
  provider: string,
  { returnTo, linkTo, scope: required = '', loginHint }: Purpose,
): Promise<PageAnswer | { readonly refusal: Refusal }> {
  const { server, request, response } = call;
  const upstreams = server.find(UPSTREAM_SERVER)!;
  const client = upstreams.client(provider);
  const { trustAuthentication, reauthentication } = client.provider;
  // Without the vault, a refresh token would be of no use.
  const { scope: offlineScope = '', ...offline } = (upstreams.vault && client.provider.offline) ?? {};
  const scope = unionOf(client.provider.scope, offlineScope, required);
  const refuse = (refusal: Refusal, cause?: unknown) => {
    reportUpstreamRefusal(refusal, { server, request, endpoint: call.endpoint, provider }, cause);
    return { refusal };
  };
  const attempt = new Attempts(server, request, response).begin({ provider, returnTo, linkTo, scope });
  if (!attempt) return refuse('tooLong');
  const isLogin = textOf(request, 'prompt') === 'login';
  try {
    const url = await client.authorizationUrl({
      ...attempt,
      redirectUri: server.urlOf(callbackEndpoint(provider), server.issuerOf(request))!,
      parameters: {
        ...offline.parameters,
        ...(linkTo !== undefined && offline.connecting),
        ...client.provider.parameters,
        ...(isLogin && linkTo === undefined && reauthentication),
        login_hint:
          linkTo === undefined ? (loginHint ?? textOf(request, 'login_hint'))?.slice(0, MAX_HINT_LENGTH) : undefined,
        acr_values: trustAuthentication ? requestedAcr(request)?.join(' ') : undefined,
        ui_locales: textOf(request, 'ui_locales')?.slice(0, MAX_HINT_LENGTH),
      },
    });
    return new PageRedirect(url.href);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return refuse('unavailable', error);
  }
}

const MAX_HINT_LENGTH = 255;
