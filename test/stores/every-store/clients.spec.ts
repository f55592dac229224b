// One spec file loads the stores once for the tests of all these files.
import './managed-clients.js';
import './registrations.js';
import './ended-clients.js';
import './large-revocations.js';
