/** The values of each dimension of the matrix. */
export const VALUES = {
  nest: ['11-cjs', '11-esm', '12'],
  pm: ['npm', 'pnpm', 'yarn'],
  http: ['express', 'fastify'],
  node: ['20', '22', '24'],
  runner: ['jest', 'vitest'],
};

const ALL = Object.keys(VALUES).reduce(
  (cells, name) => cells.flatMap((cell) => VALUES[name].map((value) => ({ ...cell, [name]: value }))),
  [{}],
);

/**
 * A small part of the matrix that contains each value. Each form of Nest has one package manager and one Node.js
 * version, and runs both HTTP adapters and both test runners.
 */
function isBrief({ nest, pm, http, node, runner }) {
  const index = VALUES.nest.indexOf(nest);
  const isDiagonal = VALUES.pm[index] === pm && VALUES.node[index] === node;
  // ESM on Nest 11 pairs the adapters and runners the other way around.
  const isPaired = (http === 'express') === (runner === 'jest');
  return isDiagonal && isPaired !== (nest === '11-esm');
}

/**
 * Returns the cells that the arguments select: `nest=11-cjs,12 node=20`. Without arguments, all cells. `--brief` selects
 * a part that contains each value.
 * @throws {Error} If an argument is unknown, or no cell is selected.
 */
export function selectCells(parameters) {
  const isWithin = parameters.filter((one) => one !== '--brief').map(readFilter);
  if (parameters.includes('--brief')) isWithin.push(isBrief);
  const cells = ALL.filter((cell) => isWithin.every((condition) => condition(cell)));
  if (cells.length === 0) throw new Error(`No cell is selected by: ${parameters.join(' ')}`);
  return cells;
}

function readFilter(parameter) {
  const [name, list = ''] = parameter.split('=');
  const known = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
  if (!known)
    throw new Error(`Unknown argument: ${parameter}. Use --brief, --built, ${Object.keys(VALUES).join('=, ')}=`);
  const selected = list.split(',');
  const unknown = selected.filter((value) => !known.includes(value));
  if (unknown.length > 0) throw new Error(`Unknown value of ${name}: ${unknown}. Use ${known.join(', ')}`);
  return (cell) => selected.includes(cell[name]);
}
