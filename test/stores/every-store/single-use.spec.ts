// One spec file loads the stores once for the tests of all these files.
import './assertions.js';
import './counters.js';
import './device-codes.js';
import './expiry.js';
import './ping.js';
import './pushed-requests.js';
import './raced-proofs.js';
import './shared-limits.js';
import './skewed-clocks.js';
