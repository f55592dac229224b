import { RateLimit } from '../../../lib/internal.js';
import type { User } from '../../../lib/index.js';
import { finishLogin } from '../../pages/login/finish-login.js';
import { type PageAnswer, PageRedirect } from '../../pages/toolkit/answers.js';
import type { PageCall } from '../../pages/toolkit/page-call.js';
import { type Attempt, ATTEMPT_LIFETIME, Attempts } from '../attempts.js';
import { countFromNetwork } from '../network-limit.js';
import { RefusedUser, type VerifiedSignIn } from '../providers/provider-client.js';
import { isUnavailable } from '../providers/upstream-fetch.js';
import { profileOf } from '../providers/upstream-user.js';
import type { Refusal } from '../refusals.js';
import { completeSignIn } from '../sign-in.js';
import { reportUpstream, reportUpstreamRefusal } from '../upstream-events.js';
import { CONNECTIONS, UPSTREAM_SERVER } from '../upstream-server.js';
import { type RefusalData, refusalData } from './refusal-page.js';
import { givenNameOf, readForm, type ResponseParameters, responseUrl } from './response-parameters.js';

/** Maximum number of seconds since the login of a user who begins to link a provider. */
export const FRESH_LOGIN = 300;

/** The limit of failed responses from one network. */
const failures = new RateLimit('upstream callback', { requests: 300, per: 600 });

/** Handles the response of a provider that arrived as a redirect. */
export async function finishAttempt(
  call: PageCall,
  provider: string,
  parameters: ResponseParameters | undefined,
): Promise<PageAnswer | RefusalData> {
  const { server, request, response } = call;
  const attempts = new Attempts(server, request, response);
  const { state } = parameters ?? {};
  const attempt = state === undefined ? undefined : attempts.find(state);
  // The state of another provider is refused too: its server could send the code of this one (mix-up). RFC 9700 §4.4
  if (!parameters || attempt?.provider !== provider) return refuse(call, provider, { refusal: 'wrongBrowser' });
  const context = { attempt, provider };
  if (!(await attempts.end(attempt))) return refuse(call, provider, { refusal: 'used', attempt });
  const giveBack = await countFromNetwork(failures, call);
  if (!giveBack) return refuse(call, provider, { refusal: 'throttled', attempt });
  const answer = await finishCounted(call, context, parameters);
  if (answer instanceof PageRedirect) await giveBack();
  return answer;
}

interface AttemptContext {
  readonly attempt: Attempt;
  readonly provider: string;
}

async function finishCounted(
  call: PageCall,
  { attempt, provider }: AttemptContext,
  parameters: ResponseParameters,
): Promise<PageAnswer | RefusalData> {
  const { server } = call;
  const upstreams = server.find(UPSTREAM_SERVER)!;
  const client = upstreams.client(provider);
  const fail = (refusal: Refusal, cause?: unknown) => refuse(call, provider, { refusal, attempt, cause });
  if (parameters.error !== undefined) return fail('cancelled', new Error(parameters.error.slice(0, 100)));
  let verified: VerifiedSignIn;
  try {
    verified = await client.finish(responseUrl(call, parameters), attempt);
  } catch (error) {
    return fail(isUnavailable(error) ? 'unavailable' : error instanceof RefusedUser ? 'refusedUser' : 'failed', error);
  }
  const profile = profileOf(provider, client.provider, { ...verified, givenName: givenNameOf(parameters) });
  const { linkTo } = attempt;
  const outcome = await completeSignIn(upstreams, {
    profile,
    intent: linkTo === undefined ? 'signIn' : 'link',
    linkTo: linkTo === undefined ? undefined : await linkingUserOf(call, linkTo),
  });
  const { iss } = profile;
  if ('refusal' in outcome) return refuse(call, provider, { ...outcome, attempt, iss });
  const { user, action } = outcome;
  const { tokens: issued } = verified;
  const { sub } = profile;
  const { scope } = attempt;
  await upstreams.vault?.keep(user, { provider, iss, sub, issued, scope, isConnected: linkTo !== undefined });
  const details = { server, request: call.request, endpoint: call.endpoint, provider, iss, userId: user['id'] };
  if (action === 'link' || action === 'create') reportUpstream('upstream.linked', details);
  if (linkTo !== undefined) return call.redirect(call.pathOf(CONNECTIONS, { changed: '' }));
  reportUpstream('upstream.signed_in', details);
  return finishLogin(call, {
    user,
    ...authenticationOf(verified, client.provider.trustAuthentication),
    ...(client.provider.endpoints === undefined && { upstream: { iss, sub, sid: verified.sid } }),
    ...returnTo(attempt),
  });
}

const returnTo = ({ returnTo: path }: Attempt) => (path === undefined ? {} : { returnTo: path });

/**
 * Returns the user who began to link a provider, if this user is still signed in in this browser. A user who signed in
 * after another user began must not get the identity of that user.
 */
async function linkingUserOf(call: PageCall, id: string): Promise<User | undefined> {
  const user = await call.findUser(FRESH_LOGIN + ATTEMPT_LIFETIME);
  return user && String(user['id']) === id ? user : undefined;
}

/** Returns how the provider has authenticated the user, as far as it counts on this server. */
function authenticationOf({ acr, amr = [], authTime }: VerifiedSignIn, isTrusted: boolean) {
  const isPast = authTime !== undefined && authTime.getTime() <= Date.now();
  return {
    amr: amr.filter((method) => AMR.test(method) && (isTrusted || method !== 'mfa')).slice(0, MAX_METHODS),
    ...(isTrusted && acr !== undefined && { acr }),
    ...(isPast && { authTime }),
  };
}

const AMR = /^[\w.-]{1,32}$/;
const MAX_METHODS = 10;

interface Refused {
  readonly refusal: Refusal;
  readonly attempt?: Attempt;
  readonly cause?: unknown;
  readonly iss?: string | undefined;
}

/** Reports a refusal, and returns the page that explains it. */
function refuse(call: PageCall, provider: string, { refusal, attempt, cause, iss }: Refused): RefusalData {
  const { server, request, endpoint } = call;
  reportUpstreamRefusal(refusal, { server, request, endpoint, provider, iss, userId: attempt?.linkTo }, cause);
  const { label } = server.find(UPSTREAM_SERVER)!.provider(provider)!;
  const isLinking = attempt?.linkTo !== undefined;
  const next = isLinking ? call.pathOf(CONNECTIONS) : (attempt?.returnTo ?? call.site.loginPath(request, undefined));
  return refusalData(call, refusal, { label, next, isLinking });
}

/**
 * Handles the response of a provider that arrived as a form. A form of another site carries no cookies with
 * `SameSite=Lax`, so the browser is sent to this page once more, by a redirect.
 */
export function redirectForm(call: PageCall): PageAnswer {
  const { server, request, response } = call;
  const form = new Attempts(server, request, response).encryptForm(readForm(request.body));
  return call.redirect(call.path({ form }));
}
