import type { Attack, AttackRuns } from '../attack.js';
import { CATALOG } from '../catalog.js';
import type { LabContext } from '../context.js';
import type { Lab } from '../lab.js';
import { ASSERTION_ATTACKS, DPOP_ATTACKS } from './proofs.js';
import { CLIENT_URL_ATTACKS } from './client-urls.js';
import { CIBA_ATTACKS } from './ciba.js';
import { DEVICE_ATTACKS } from './devices.js';
import { REQUEST_ATTACKS } from './request-objects.js';
import { TENANT_ATTACKS } from './tenants.js';
import { TOKEN_EXCHANGE_ATTACKS } from './token-exchange.js';
import { TOKEN_ATTACKS } from './tokens.js';
import { CLIENT_AUTHENTICATION_ATTACKS } from './client-authentication.js';
import { CODE_ATTACKS } from './codes.js';
import { CROSS_ORIGIN_ATTACKS } from './cross-origin.js';
import { FLOOD_ATTACKS } from './floods.js';
import { REDIRECTOR_ATTACKS } from './open-redirectors.js';
import { MUTUAL_TLS_ATTACKS } from './mutual-tls.js';
import { PAGE_ATTACKS } from './pages.js';
import { PKCE_ATTACKS } from './pkce.js';
import { RACE_ATTACKS } from './races.js';
import { REDIRECT_URI_ATTACKS } from './redirect-uris.js';
import { REFRESH_TOKEN_ATTACKS } from './refresh-tokens.js';
import { ACCEPTED_SESSION_ATTACKS } from './accepted-sessions.js';
import { ACCOUNT_ATTACKS } from './accounts.js';
import { ORGANIZATION_ATTACKS } from './organizations.js';
import { PERSONAL_TOKEN_ATTACKS } from './personal-tokens.js';
import { UPSTREAM_ATTACKS } from './upstreams.js';
import { SCOPE_ATTACKS } from './scopes.js';
import { SESSION_ATTACKS } from './sessions.js';

const RUNS: AttackRuns = {
  ...CODE_ATTACKS,
  ...PKCE_ATTACKS,
  ...REDIRECT_URI_ATTACKS,
  ...REDIRECTOR_ATTACKS,
  ...PAGE_ATTACKS,
  ...SESSION_ATTACKS,
  ...CLIENT_AUTHENTICATION_ATTACKS,
  ...SCOPE_ATTACKS,
  ...REFRESH_TOKEN_ATTACKS,
  ...CROSS_ORIGIN_ATTACKS,
  ...ASSERTION_ATTACKS,
  ...DPOP_ATTACKS,
  ...CLIENT_URL_ATTACKS,
  ...DEVICE_ATTACKS,
  ...TOKEN_EXCHANGE_ATTACKS,
  ...MUTUAL_TLS_ATTACKS,
  ...CIBA_ATTACKS,
  ...REQUEST_ATTACKS,
  ...TENANT_ATTACKS,
  ...TOKEN_ATTACKS,
  ...ORGANIZATION_ATTACKS,
  ...PERSONAL_TOKEN_ATTACKS,
  ...ACCEPTED_SESSION_ATTACKS,
  ...UPSTREAM_ATTACKS,
  ...ACCOUNT_ATTACKS,
  ...RACE_ATTACKS,
  ...FLOOD_ATTACKS,
};

/** All attacks of the lab, in the order in which they run. */
export const ATTACKS: readonly Attack[] = CATALOG.map((text) =>
  Object.assign({}, text, {
    applies: (context: LabContext) => context.lacksAny(text.needs),
    run: (lab: Lab) => RUNS[text.id]!(lab),
  }),
);
