import { DATABASES, OPERATIONS, whole } from './capacity-tables.js';
import { barChart } from './plot.js';

const ADAPTERS = { fastify: 'Fastify', express: 'Express' };
const plain = (title) => title.replaceAll('`', '');

/** Returns the SVG charts of the capacity page by their file names. */
export const capacityPlots = ({ rows }) => ({ 'capacity-cpu.svg': cpuPlot(rows) });

/** The CPU time of one request on each database and HTTP adapter: first of the server, then of the database. */
function cpuPlot(rows) {
  const panels = ['token', 'refresh', 'guarded'].map((operation) => ({
    title: `${plain(OPERATIONS[operation])}: CPU µs of the server (green) and of the database (orange) per request`,
    bars: rows
      .filter((row) => row.operation === operation && row.name !== 'limited')
      .map((row) => ({
        label: [DATABASES[row.kind], ADAPTERS[row.platform], row.title].filter(Boolean).join(', '),
        parts: [
          { value: row.cpu.median, kind: 'own' },
          { value: row.backend ?? 0, kind: 'database' },
        ],
        text: [row.cpu.median, row.backend]
          .filter((value) => value !== undefined)
          .map(whole)
          .join(' + '),
      })),
  }));
  return barChart({ title: 'CPU microseconds per request', panels });
}
