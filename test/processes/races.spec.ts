// One spec file builds the application once for the tests of these files.
import './two-processes.js';
import './vault-refreshes.js';
