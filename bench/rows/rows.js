import { parseArgs } from 'node:util';
import { setUp } from '../setup.js';
import { median } from '../statistics.js';

// node bench/rows/rows.js [--stores postgres,mariadb,redis] [--small 100000] [--large 1000000] [--seconds 20]
//
// Compares what each operation of a store reads in a small and in a large database, and measures how many expired rows
// prune() deletes on PostgreSQL while tokens are saved and looked up. Use a Redis server that nothing else uses.

const { values } = parseArgs({
  options: {
    stores: { type: 'string', default: 'postgres,mariadb,redis' },
    small: { type: 'string', default: '100000' },
    large: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '20' },
  },
});

setUp();
const amounts = [Number(values.small), Number(values.large)];
for (const name of values.stores.split(',')) await report(await import(`./${name}.js`));

async function report({ title, columns, measureRows, measurePrune, drop }) {
  console.log(`\n## ${title}\n`);
  const all = [];
  for (const rows of amounts) {
    const began = performance.now();
    const { sizes, measured } = await measureRows(rows);
    const seconds = Math.round((performance.now() - began) / 1000);
    console.log(`${rows.toLocaleString('en')} tokens, filled and measured in ${seconds} s:`);
    for (const { name, bytes, indexes } of sizes)
      console.log(`  ${name}: ${megabytes(bytes)}${indexes === undefined ? '' : `, indexes ${megabytes(indexes)}`}`);
    all.push(measured);
  }
  printTable(columns, all);
  if (measurePrune) {
    const { deletedPerSecond, savedPerSecond } = await measurePrune(amounts[1], Number(values.seconds));
    const load = `while ${savedPerSecond} tokens per second were saved and looked up`;
    console.log(`\nprune(): ${deletedPerSecond} rows per second, ${load}`);
  }
  for (const rows of amounts) await drop(rows);
}

/** Prints the medians of each column, next to each other for both amounts. */
function printTable(columns, [small, large]) {
  const heads = Object.values(columns).flatMap((column) =>
    amounts.map((rows) => `${column} at ${rows.toLocaleString('en')}`),
  );
  console.log(`\n| operation | ${heads.join(' | ')} |\n| --- | ${heads.map(() => '--:').join(' | ')} |`);
  for (const operation of Object.keys(small)) {
    const cells = Object.keys(columns).flatMap((key) =>
      [small, large].map((measured) => median(measured[operation].map((one) => one[key]))),
    );
    console.log(`| ${operation} | ${cells.join(' | ')} |`);
  }
}

function megabytes(bytes) {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}
