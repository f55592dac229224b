import type { Expectation } from './runner/judge.js';

/** Results that are the same for the same reason. */
const all = (modules: readonly string[], rest: Omit<Expectation, 'module'>): Expectation[] =>
  modules.map((module) => ({ module, ...rest }));

const UNREAD =
  'that the answer should be posted is said in the very object that is not read, so the error comes in the';
const UNSIGNED = 'request objects that nobody has signed are refused, as they may be';

/**
 * What does not pass, and why that is right: the first line that is of a plan and a module counts. One that does not come true any
 * more fails the run.
 */
export const EXPECTATIONS: readonly Expectation[] = [
  {
    plans: ['oidc-formpost'],
    module: 'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
    result: 'INTERRUPTED',
    conditions: [
      'CheckCallbackHttpMethodIsPost',
      'CheckCallbackContentTypeIsFormUrlEncoded',
      'RejectErrorInUrlQuery',
      'CheckDiscEndpointRequestParameterSupported',
      'ValidateIssIfPresentInAuthorizationResponse',
    ],
    why: `${UNSIGNED}; ${UNREAD} query`,
  },
  {
    plans: ['oidc-formpost-implicit', 'oidc-formpost-hybrid'],
    module: 'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
    result: 'INTERRUPTED',
    conditions: [
      'CheckCallbackHttpMethodIsPost',
      'CheckCallbackContentTypeIsFormUrlEncoded',
      'CheckDiscEndpointRequestParameterSupported',
      'ValidateIssIfPresentInAuthorizationResponse',
    ],
    why: `${UNSIGNED}; ${UNREAD} fragment`,
  },
  ...all(
    [
      'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
      'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
      'oidcc-request-uri-unsigned',
    ],
    { result: 'SKIPPED', why: UNSIGNED },
  ),
  {
    plans: ['oidc-dynamic'],
    module: 'oidcc-ensure-request-object-with-redirect-uri',
    result: 'SKIPPED',
    why: UNSIGNED,
  },
  {
    module: 'oidcc-idtoken-unsigned',
    result: 'SKIPPED',
    why: 'every ID token is signed: nobody can register for `none`',
  },
  ...all(
    [
      'fapi2-security-profile-final-par-attempt-reuse-request_uri',
      'fapi2-security-profile-final-par-attempt-to-use-expired-request_uri',
      'fapi2-security-profile-final-par-attempt-to-use-request_uri-for-different-client',
      'oidcc-ensure-registered-redirect-uri',
      'oidcc-ensure-redirect-uri-in-authorization-request',
      'oidcc-redirect-uri-query-added',
      'oidcc-redirect-uri-query-mismatch',
      'oidcc-ensure-request-object-with-redirect-uri',
      'oidcc-rp-initiated-logout-bad-id-token-hint',
      'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri',
      'oidcc-rp-initiated-logout-modified-id-token-hint',
      'oidcc-rp-initiated-logout-no-id-token-hint',
      'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri',
    ],
    {
      result: 'REVIEW',
      why: 'the suite has found the page that says nothing comes of the request, and leaves it to a person to look at it',
    },
  ),
  ...all(['oidcc-prompt-login', 'oidcc-max-age-1'], {
    result: 'REVIEW',
    why: 'the suite has found the page where the user signs in again, and leaves it to a person to look at it',
  }),
  ...all(
    [
      'oidcc-rp-initiated-logout-no-params',
      'oidcc-rp-initiated-logout-no-post-logout-redirect-uri',
      'oidcc-rp-initiated-logout-only-state',
    ],
    {
      result: 'REVIEW',
      why: 'the suite has found the page that says that the user is signed out, and leaves it to a person to look at it',
    },
  ),
  ...all(['oidcc-registration-policy-uri', 'oidcc-registration-tos-uri'], {
    result: 'REVIEW',
    why: 'the suite has found the consent page, where the link is, and leaves it to a person to look at it',
  }),
  {
    module: 'oidcc-registration-logo-uri',
    result: 'REVIEW',
    why: 'the consent page shows no logo: a picture that anybody may register may be anybody’s (a SHOULD, RFC 7591 §5)',
  },
  {
    module: 'oidcc-ensure-request-with-acr-values-succeeds',
    result: 'WARNING',
    conditions: ['ValidateIdTokenACRClaimAgainstAcrValuesRequest'],
    why: 'by what means a user has signed in, the host says, and this one has names for none: `acr` is a SHOULD',
  },
];
