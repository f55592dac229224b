import { oidc } from 'nest-oauth2/upstreams';

import { startRelyingParty } from '../host/relying-party.js';
import { Browser } from '../host/browser.js';
import type { ConformancePlan } from './plan.js';
import { reachSuite } from './reach-suite.js';

const SECRET = 'the public test secret of the relying party';

/** How a plan signs users in. */
interface Own {
  clientAuthentication?: 'client_secret_basic' | 'client_secret_post';
  responseMode?: 'form_post';
  signsOut?: boolean;
}

/** A plan for clients: the suite is the provider with which the users of an application sign in. */
function relyingPartyPlan(
  name: string,
  { plan, ...variant }: Record<string, string> & { plan: string },
  { clientAuthentication = 'client_secret_basic', responseMode, signsOut = false }: Own = {},
): ConformancePlan {
  return {
    name,
    plan,
    variant: { request_type: 'plain_http_request', client_registration: 'static_client', ...variant },
    prepare({ issuer: application, suite, platform }) {
      const provider = `${suite}/test/a/${name}/`;
      const endpoint = `${application}/oauth/upstreams/suite`;
      const bye = `${application}/bye`;
      return Promise.resolve({
        configuration: {
          alias: name,
          client: {
            client_id: name,
            client_secret: SECRET,
            redirect_uri: `${endpoint}/callback`,
            ...(signsOut && {
              backchannel_logout_uri: `${endpoint}/backchannel_logout`,
              post_logout_redirect_uri: bye,
            }),
          },
        },
        async visit(module) {
          const idTokens: string[] = [];
          const client = { clientId: name, clientSecret: SECRET, clientAuthentication } as const;
          const mode = responseMode && { responseMode };
          const suiteProvider = oidc({ issuer: provider, ...client, idTokenSignedResponseAlg: 'RS256', ...mode });
          // Each module is a new provider, so that each has a new application: clients remember metadata and keys.
          const running = await startRelyingParty(
            {
              providers: { suite: suiteProvider },
              fetch: signsOut ? recording(idTokens) : reachSuite,
            },
            { issuer: application, ...(platform && { platform }) },
          );
          try {
            const browser = new Browser();
            const shown = await signIn(browser, { application, endpoint });
            assertState(shown, !REFUSED.includes(module), `after the response of the suite`);
            if (!signsOut) return;
            const end = { id_token_hint: idTokens[0]!, post_logout_redirect_uri: bye, state: 'signed-out' };
            await browser.get(`${provider}end_session_endpoint?${new URLSearchParams(end).toString()}`);
            assertState(await isSignedIn(browser, application), module !== BACK_CHANNEL, 'after the logout token');
          } finally {
            await running.close();
          }
        },
      });
    },
  };
}

interface Place {
  application: string;
  endpoint: string;
}

/** Signs in with the suite. Returns whether the user is then signed in at the application. */
async function signIn(browser: Browser, { application, endpoint }: Place): Promise<boolean> {
  const login = await browser.get(`${application}/oauth/login`);
  const shown = await browser.submit(login, endpoint);
  if (shown.url.origin !== application) await browser.submit(shown, `${endpoint}/callback`);
  return isSignedIn(browser, application);
}

/** Whether the page of connected accounts does not ask for a sign-in. */
async function isSignedIn(browser: Browser, application: string): Promise<boolean> {
  const { url } = await browser.get(`${application}/oauth/connections`);
  return url.pathname === '/oauth/connections';
}

function assertState(isIn: boolean, isExpected: boolean, when: string): void {
  if (isIn !== isExpected) throw new Error(`the user is ${isIn ? '' : 'not '}signed in ${when}`);
}

/** Returns a function that sends requests and adds the received ID tokens to a list. */
const recording = (idTokens: string[]) => async (url: string, init?: RequestInit) => {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const { id_token: idToken } = (body ?? {}) as { id_token?: string };
  if (idToken !== undefined) idTokens.push(idToken);
  return response;
};

/** The module whose logout token is valid. */
const BACK_CHANNEL = 'oidcc-client-test-rp-backchannel-rpinitlogout';

/** The modules whose response the application must refuse. */
const REFUSED: readonly string[] = [
  'idtoken-sig-none',
  'invalid-aud',
  'invalid-iss',
  'invalid-sig-es256',
  'invalid-sig-hs256',
  'invalid-sig-rs256',
  'kid-absent-multiple-jwks',
  'missing-aud',
  'missing-iat',
  'missing-sub',
  'nonce-invalid',
  'userinfo-invalid-sub',
  'discovery-issuer-mismatch',
].map((module) => `oidcc-client-test-${module}`);

const BASIC = { plan: 'oidcc-client-basic-certification-test-plan' };
const FORM_POST = { plan: 'oidcc-client-formpost-basic-certification-test-plan' };
const LOGOUT = { plan: 'oidcc-client-back-channel-logout-rp-basic', client_auth_type: 'client_secret_basic' };

/** The plans for clients, which `upstreams()` must pass. */
export const RELYING_PARTY_PLANS: readonly ConformancePlan[] = [
  relyingPartyPlan('rp-basic', BASIC),
  relyingPartyPlan('rp-formpost', FORM_POST, { responseMode: 'form_post' }),
  relyingPartyPlan('rp-backchannel-logout', { ...LOGOUT, response_mode: 'default' }, { signsOut: true }),
];
