export type { Endpoint, Feature } from '../feature.js';
export { revocation, type RevocationModel, type RevocationOptions } from './revocation.js';
