export type { Endpoint, Feature } from '../feature.js';
