import { runnerName } from './vitest-versions.js';

const rowOf = ({ nest, pm, http }) => `Nest ${nest}, ${pm}, ${http}`;
const columnOf = (cell) => `Node ${cell.node}, ${runnerName(cell)}`;

/** Returns the results as a text table: a row for each application and HTTP adapter, a column for each runner. */
export function formatTable(results) {
  const columns = [...new Set(results.map(({ cell }) => columnOf(cell)))].toSorted((a, b) => a.localeCompare(b));
  const rows = [...new Set(results.map(({ cell }) => rowOf(cell)))];
  const shown = new Map(
    results.map(({ cell, error, seconds }) => [`${rowOf(cell)}|${columnOf(cell)}`, show(error, seconds)]),
  );
  const cellsOf = (row) => columns.map((name) => shown.get(`${row}|${name}`) ?? '');
  const lines = [[''].concat(columns)].concat(rows.map((row) => [row].concat(cellsOf(row))));
  const widths = lines[0].map((_, index) => Math.max(...lines.map((line) => line[index].length)));
  return lines
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const show = (error, seconds) => (error ? 'FAILED' : `ok ${seconds.toFixed(1)} s`);
