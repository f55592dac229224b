import type { Feature } from './feature.js';

/** Returns a feature as the application writes it: `dpop()`. */
export const called = ({ factory, name }: Pick<Feature, 'factory' | 'name'>): string =>
  factory === undefined ? `\`${name}\`` : `\`${factory}()\``;
