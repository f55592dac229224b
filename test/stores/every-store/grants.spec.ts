// One spec file loads the stores once for the tests of all these files.
import './atomic-redemption.js';
import './bound-tokens.js';
import './consents.js';
import './hybrid-tokens.js';
import './issuer.js';
import './listed-grants.js';
import './not-before.js';
import './stored-parameters.js';
