// One spec file loads the stores once for the tests of all these files.
import './account-factors.js';
import './accounts.js';
import './identities.js';
import './login-cost.js';
import './new-password.js';
import './notifications.js';
import './personal-tokens.js';
import './remembered-sessions.js';
import './session-clients.js';
import './signing-keys.js';
import './upstream-tokens.js';
