import { IN_MEMORY } from '../../stores/in-memory.js';
import { PLATFORMS } from '../../support/servers/test-application.js';
import { describeAuthorizationDetails } from './authorization-details-requests.js';

for (const platform of PLATFORMS) describeAuthorizationDetails(IN_MEMORY, platform);
