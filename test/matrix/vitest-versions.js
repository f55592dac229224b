/** Vitest 5 requires Node.js 22.12, so Node.js 20 runs Vitest 4. By the major version of Node.js. */
const VITEST = { 20: '4', 22: '5', 24: '5' };

/** The version of Vitest in the manifest of the application. Another version is installed in a folder of its own. */
export const OWN_VITEST = '5';

export const vitestFor = (node) => VITEST[node];

/** Returns the name of a test runner in a cell, with the version if it depends on Node.js. */
export const runnerName = ({ runner, node }) => (runner === 'jest' ? 'Jest' : `Vitest ${vitestFor(node)}`);
