export * from '../../lib/kit/index.js';
export { OAuth2TestingModule, type OAuth2TestingOptions } from './oauth2-testing.module.js';
export * from './attack-lab/index.js';
export type { ProofOptions, ProvenApplication } from '../proof/proof-options.js';
