import type { Feature } from './feature.js';

/**
 * Returns the name of a feature as the application writes it, such as `dpop()`. For a feature of RFC 6749, it is the
 * `id`, which names the section.
 */
export const featureName = ({ id }: Pick<Feature, 'id'>): string => (/^\w+$/.test(id) ? `\`${id}()\`` : `\`${id}\``);
