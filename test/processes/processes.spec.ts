// One spec file builds the application once for the tests of these files.
import './crash.js';
import './two-processes.js';
import './vault.js';
