import type { Feature } from './feature.js';

/**
 * Returns the name of a feature as the application writes it, such as `dpop()`. A feature of RFC 6749 is named by its
 * section.
 */
export const featureName = ({ id }: Pick<Feature, 'id'>): string => (/^\w+$/.test(id) ? `\`${id}()\`` : `\`${id}\``);
