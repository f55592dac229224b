import { findStores } from '../../stores/every-store.js';
import { PLATFORMS } from '../../support/servers/test-application.js';
import { describeCibaRequests } from './ciba-requests.js';

const stores = (await findStores()).filter(({ name }) => name !== 'memory');
// Covers each adapter and each store, but not every combination.
for (const [index, kind] of stores.entries()) describeCibaRequests(kind, PLATFORMS[index % PLATFORMS.length]!);
