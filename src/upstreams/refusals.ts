import type { LinkingRefusal } from './linking/decide.js';
import type { MessageKey } from './messages.js';

/** Why a sign-in with a provider, or a link, is refused. */
export type Refusal =
  | LinkingRefusal
  | 'wrongBrowser'
  | 'used'
  | 'cancelled'
  | 'failed'
  | 'refusedUser'
  | 'unavailable'
  | 'throttled'
  | 'tooLong'
  | 'notCreated'
  | 'accountGone'
  | 'inProgress'
  | 'wrongConsent'
  | 'lastSignIn'
  | 'unknownProvider'
  | 'invalidLogoutToken';

/** The page of a refusal, and its event. */
interface RefusalDetails {
  readonly message: MessageKey;
  readonly status: number;
  readonly reason: string;
  readonly remedy: string;
}

/** The refusals, with the text for the user and the explanation for the operator. */
export const REFUSALS: Readonly<Record<Refusal, RefusalDetails>> = {
  wrongBrowser: {
    message: 'upstreamWrongBrowser',
    status: 400,
    reason:
      'this browser has not begun the sign-in, or began it more than ten minutes ago, at another host or provider',
    remedy: 'Begin and finish the sign-in in one browser, at the host of the option `issuer`.',
  },
  used: {
    message: 'upstreamUsed',
    status: 400,
    reason: 'the response of the provider was sent twice',
    remedy: 'Begin a new sign-in. The browser has repeated the request, or somebody else has sent it.',
  },
  cancelled: {
    message: 'upstreamCancelled',
    status: 403,
    reason: 'the provider returned an error instead of a code',
    remedy:
      'If the user has not cancelled the sign-in, verify the client at the provider, and its redirect URI `<issuer>/oauth/upstreams/<provider>/callback`.',
  },
  failed: {
    message: 'upstreamFailed',
    status: 400,
    reason: 'the response of the provider is invalid',
    remedy: 'The log contains the cause. Verify the issuer, the client secret and the redirect URI of the provider.',
  },
  refusedUser: {
    message: 'upstreamNotAllowed',
    status: 403,
    reason: 'the options of the provider do not allow this user',
    remedy: 'The log contains the cause. Change `hostedDomain` or `allowedTenants` if the user may sign in.',
  },
  unavailable: {
    message: 'upstreamUnavailable',
    status: 503,
    reason: 'the provider does not respond, or responds with an error of its own',
    remedy: 'Try again later. Verify that this server can reach the provider.',
  },
  throttled: {
    message: 'upstreamThrottled',
    status: 429,
    reason: 'too many failed sign-ins with providers from one network',
    remedy: 'Wait ten minutes. Behind a proxy, let the application trust it, so that each browser has its own address.',
  },
  tooLong: {
    message: 'upstreamTooLong',
    status: 400,
    reason: 'the authorization request of the client is too long for a cookie',
    remedy: 'Let the client send a pushed authorization request.',
  },
  linkOnly: {
    message: 'upstreamLinkOnly',
    status: 403,
    reason: "the provider has `use: 'link'`, so it never signs users in",
    remedy: 'Sign in with another method, and connect the provider on the page of connected accounts.',
  },
  signInOnly: {
    message: 'upstreamSignInOnly',
    status: 403,
    reason: "the provider has `use: 'signIn'`, so it is never linked to an existing account",
    remedy: "Remove `use: 'signIn'` of the provider if users may link it.",
  },
  emailInUse: {
    message: 'upstreamEmailInUse',
    status: 403,
    reason: 'another account has the proven e-mail address, and equal addresses never merge accounts',
    remedy: 'Sign in to the account, and connect the provider on the page of connected accounts.',
  },
  notFresh: {
    message: 'upstreamNotFresh',
    status: 403,
    reason: 'the user who began to link the provider is not signed in any more, or too long ago',
    remedy: 'Sign in again in the same browser, and connect the provider.',
  },
  otherAccount: {
    message: 'upstreamOtherAccount',
    status: 403,
    reason: 'the identity belongs to another account, and is never moved',
    remedy: 'Disconnect it from the other account first.',
  },
  unverifiedAccount: {
    message: 'upstreamUnverified',
    status: 403,
    reason: 'the e-mail address of the account is not verified',
    remedy: 'Verify the address of the account first.',
  },
  notAllowed: {
    message: 'upstreamNotAllowed',
    status: 403,
    reason: '`mayLink()` of the application refused the identity',
    remedy: 'The application decides which identities it links.',
  },
  notCreated: {
    message: 'upstreamNotAllowed',
    status: 403,
    reason: '`create()` of the application created no account',
    remedy: 'The application decides for whom it creates accounts.',
  },
  accountGone: {
    message: 'upstreamAccountGone',
    status: 403,
    reason: '`findById()` of the application found no user for the identity',
    remedy: 'Enable the account. If it was deleted, call `deleteAccount()` of the model.',
  },
  inProgress: {
    message: 'upstreamInProgress',
    status: 409,
    reason: 'another request creates an account for the same identity',
    remedy: 'Sign in again in a few seconds.',
  },
  wrongConsent: {
    message: 'upstreamWrongConsent',
    status: 403,
    reason: 'the link of `UpstreamConsentRequired` was modified, is older than an hour, or is for another user',
    remedy: 'Request the token again, and send the signed-in user to the new `url`.',
  },
  unknownProvider: {
    message: 'upstreamUnavailable',
    status: 503,
    reason: "`providerFor()` of the application returned a provider that does not exist or has `use: 'link'`",
    remedy: 'Return the name of a provider in `providers` of `upstreams()` that signs users in, or `undefined`.',
  },
  invalidLogoutToken: {
    message: 'upstreamFailed',
    status: 400,
    reason: 'the logout token is invalid, or was sent before',
    remedy: 'The log contains the cause. Register the URL of the back-channel logout at the right provider and client.',
  },
  lastSignIn: {
    message: 'connectionsLast',
    status: 409,
    reason: 'the identity is the last way to sign in to the account',
    remedy: 'Connect another provider first, or return `true` from `hasOtherSignIn()` if the account has a password.',
  },
};
