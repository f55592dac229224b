import type { ReportRule } from '../rule.js';
import { CLIENT_RULES } from './clients.js';
import { KEY_RULES } from './keys.js';
import { OPERATION_RULES } from './operation.js';
import { PROFILE_RULES } from './profiles.js';
import { REDIRECT_URI_RULES } from './redirect-uris.js';
import { REQUEST_RULES } from './requests.js';
import { SERVER_RULES } from './server.js';
import { SIGN_IN_RULES } from './sign-in.js';
import { TOKEN_RULES } from './tokens.js';

/** All rules about the configuration of a server, by topic. */
export const RULES: Readonly<Record<string, readonly ReportRule[]>> = {
  Clients: CLIENT_RULES,
  'Redirect URIs': REDIRECT_URI_RULES,
  'Requests and grants': REQUEST_RULES,
  'Tokens and codes': TOKEN_RULES,
  'Keys and proofs': KEY_RULES,
  'Sign-in and pages': SIGN_IN_RULES,
  'Server, registration and tenants': SERVER_RULES,
  'Store and operation': OPERATION_RULES,
  'MCP and FAPI': PROFILE_RULES,
};
