import { OPENID_PLANS } from './plans/openid.js';
import type { Expectation } from './runner/judge.js';

/** Returns an expectation for each of these modules. */
const all = (modules: readonly string[], rest: Omit<Expectation, 'module'>): Expectation[] =>
  modules.map((module) => ({ module, ...rest }));

/** The plans whose server has `requestObjects()`. */
const READING = OPENID_PLANS.map(({ name }) => name).filter((name) => /^oidc-(formpost|dynamic)/.test(name));

const UNSIGNED = 'The server requires signed request objects, which the specification allows.';
const UNREAD =
  'The server reads no request objects and returns `request_not_supported` or `request_uri_not_supported`, as the specification allows.';

/** The modules that send an unsigned request object. */
const UNSIGNED_MODULES = [
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
  'oidcc-request-uri-unsigned',
];

/**
 * The modules that do not pass, with the reason why their result is correct. The first entry that matches the plan and
 * the module applies. An entry that is no longer true fails the run. No entry accepts `WARNING` or `FAILED`.
 */
export const EXPECTATIONS: readonly Expectation[] = [
  ...all(UNSIGNED_MODULES, { plans: READING, result: 'SKIPPED', why: UNSIGNED }),
  ...all(UNSIGNED_MODULES, { result: 'SKIPPED', why: UNREAD }),
  {
    plans: READING,
    module: 'oidcc-ensure-request-object-with-redirect-uri',
    result: 'SKIPPED',
    why: UNSIGNED,
  },
  {
    module: 'oidcc-idtoken-unsigned',
    result: 'SKIPPED',
    why: 'The server signs every ID token: clients cannot register `none`.',
  },
  {
    module: 'oidcc-client-test-idtoken-sig-none',
    result: 'SKIPPED',
    why: '`upstreams()` accepts no unsigned ID tokens, as the specification allows.',
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
      why: 'The suite found the error page. It asks a person to look at it.',
    },
  ),
  ...all(['oidcc-prompt-login', 'oidcc-max-age-1'], {
    result: 'REVIEW',
    why: 'The suite found the second login page. It asks a person to look at it.',
  }),
  ...all(
    [
      'oidcc-rp-initiated-logout-no-params',
      'oidcc-rp-initiated-logout-no-post-logout-redirect-uri',
      'oidcc-rp-initiated-logout-only-state',
    ],
    {
      result: 'REVIEW',
      why: 'The suite found the page after signing out. It asks a person to look at it.',
    },
  ),
  ...all(['oidcc-registration-policy-uri', 'oidcc-registration-tos-uri', 'oidcc-registration-logo-uri'], {
    result: 'REVIEW',
    why: 'The suite found the consent page with the link or the logo. It asks a person to look at it.',
  }),
];
