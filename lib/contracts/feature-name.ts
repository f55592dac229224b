import type { Feature } from './feature.js';

/** Returns a feature as the application writes it: `dpop()`. Features of RFC 6749 are named by their section. */
export const featureName = ({ id }: Pick<Feature, 'id'>): string => (/^\w+$/.test(id) ? `\`${id}()\`` : `\`${id}\``);
