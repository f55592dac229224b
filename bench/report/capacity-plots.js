import { DATABASES, OPERATIONS, whole } from './capacity-tables.js';
import { barChart } from './plot.js';

const SERVER = '#4c6ef5';
const DATABASE = '#f59f00';
const ADAPTERS = { fastify: 'Fastify', express: 'Express' };
const plain = (title) => title.replaceAll('`', '');

/** Returns the SVG charts of the capacity page by their file names. */
export function capacityPlots({ rows, scaled }) {
  return { 'capacity-cpu.svg': cpuPlot(rows), ...(scaled && { 'capacity-processes.svg': processesPlot(scaled.rows) }) };
}

/** The CPU time of one request on each database and HTTP adapter: first of the server, then of the database. */
function cpuPlot(rows) {
  const panels = ['token', 'refresh', 'guarded'].map((operation) => ({
    title: `${plain(OPERATIONS[operation])}: CPU µs of the server (blue) and of the database (yellow) per request`,
    bars: rows
      .filter((row) => row.operation === operation && row.name !== 'limited')
      .map((row) => ({
        label: [DATABASES[row.kind], ADAPTERS[row.platform], row.title].filter(Boolean).join(', '),
        parts: [
          { value: row.cpu.median, colour: SERVER },
          { value: row.backend ?? 0, colour: DATABASE },
        ],
        text: [row.cpu.median, row.backend]
          .filter((value) => value !== undefined)
          .map(whole)
          .join(' + '),
      })),
  }));
  return barChart({ title: 'CPU microseconds per request; shorter is cheaper', panels });
}

/** The requests per second by the number of processes. */
function processesPlot(rows) {
  const panels = ['token', 'guarded'].map((operation) => ({
    title: `${plain(OPERATIONS[operation])}: requests per second`,
    bars: rows
      .filter((row) => row.operation === operation)
      .map(({ processes, rate }) => ({
        label: processes === 1 ? '1 process' : `${processes} processes`,
        parts: [{ value: rate.median, colour: SERVER }],
        text: whole(rate.median),
      })),
  }));
  return barChart({ title: 'Requests per second by the number of processes; longer is faster', panels });
}
