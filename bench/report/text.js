import { batchingTables } from './batching-section.js';
import { capacityGoalsTable } from './capacity-goals.js';
import { capacityTables } from './capacity-tables.js';
import { storesTables } from './stores.js';
import { httpTable, inProcessTable, joseTable, leakTable, scalingTable, startUpTable } from './tables.js';

const tables = {
  inProcess: ['Nanoseconds per operation, in process: median (min–max)', inProcessTable],
  http: ['CPU microseconds per request of the server process: median (min–max)', httpTable],
  jose: ['Clients and tokens with keys: CPU microseconds of the process', joseTable],
  scaling: ['CPU nanoseconds per operation with the memory store, best of nine blocks', scalingTable],
  leak: ['The heap over many requests', leakTable],
  startup: ['Imports in fresh processes', startUpTable],
};

/** Prints the results as tables. Letters replace long column headings. */
export function printResults(results) {
  const own = Object.entries(tables).filter(([part]) => results[part]);
  const all = [...own.map(([part, [title, tableOf]]) => [title, tableOf(results[part])]), ...storesTables(results)];
  if (results.batching) all.push(...batchingTables(results.batching));
  if (results.capacity) {
    const { capacity } = results;
    all.push(...capacityTables(capacity).map(([title, table]) => [`Capacity: ${String(title)}`, table]));
    all.push(['Capacity: goals', capacityGoalsTable(capacity)]);
  }
  for (const [title, [heading, ...rows]] of all) {
    console.log(`\n${title}`);
    heading.forEach((name, index) => index > 0 && console.log(`  ${letter(index)}: ${name}`));
    const table = [['', ...heading.slice(1).map((_, index) => letter(index + 1))], ...rows];
    const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
    for (const row of table)
      console.log(
        `  ${row
          .map((cell, column) => cell.padEnd(widths[column]))
          .join('  ')
          .trimEnd()}`,
      );
  }
  if (results.brief)
    console.log('\nThis was a brief run: it checks that the benchmark works, and its times mean nothing.');
}

function letter(index) {
  return String.fromCharCode(64 + index);
}
