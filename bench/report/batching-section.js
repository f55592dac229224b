import { markdown } from './markdown.js';

const TITLES = { guarded: 'Guarded GET', token: 'Token POST (client_credentials)' };

/** Returns the section about shared statements. */
export function batchingSection({ batching, machine, load }) {
  const tables = batchingTables(batching).map(([title, table]) => `### ${String(title)}\n\n${markdown(table)}\n`);
  return `## Shared statements

Concurrent look-ups of tokens and clients share statements, and so do concurrent saves of new tokens
([how](../reference/stores.md#which-database)). The tables compare the same application with and without \`batching\`, and with floors that send
one statement per request. Everything ran on one machine (${machine.cpus} cores, ${machine.model}, Node ${machine.node}). Its load average was
${load.map((value) => value.toFixed(1)).join(' to ')}, so compare the CPU time and the ratios rather than the requests per second.

${markdown(goals(batching))}

The goals were set where \`node:http\` took 110 µs for such a request. At 16 connections, Nest and Fastify alone take
${framework(batching)} µs more than \`node:http\` on this machine, so that an application in Nest cannot reach 0.9 times the first floor here.

${tables.join('\n')}
The tables with a number of statements in flight use a TCP proxy, which delays all data to PostgreSQL by the given time. The library
sends one shared statement at a time, and a second one beside it if the first takes longer than a millisecond. So it needs no more CPU time than
with one statement if the database is near, and a distant or slow database does not delay other calls.
`;
}

/** Returns how many µs the floor in Nest on Fastify takes more than the floor on `node:http`. */
function framework({ byConnections: { 16: { guarded } = {} } }) {
  return guarded ? (guarded['floor-fastify'].cpu.median - guarded.floor.cpu.median).toFixed(0) : 'some';
}

const count = (connections) => (connections === '1' ? '1 connection' : `${connections} connections`);

/** Returns the tables of shared statements as \`[title, table]\`. */
export function batchingTables({ byConnections, inFlight }) {
  const places = [
    ...Object.entries(byConnections).map(([connections, operations]) => [count(connections), operations]),
    ...Object.entries(inFlight),
  ];
  return Object.entries(TITLES).flatMap(([operation, title]) =>
    places.map(([place, operations]) => [`${title}, ${place}`, tableOf(operations[operation])]),
  );
}

function tableOf(servers) {
  const first = Object.keys(servers)[0];
  return [
    [
      'server',
      'CPU µs of the server',
      'CPU µs of PostgreSQL',
      'requests/s',
      'CPU: times the first row',
      'requests/s: times the first row',
    ],
    ...Object.values(servers).map(({ title, cpu, backend, rate, against }) => [
      title,
      cpu.median.toFixed(0),
      backend === undefined ? '' : backend.toFixed(0),
      rate.median.toFixed(0),
      (1 / against[first].cpu).toFixed(2),
      against[first].rate.toFixed(2),
    ]),
  ];
}

/** The goals for guarded requests with 16 connections, and for one connection. */
function goals({ byConnections }) {
  const { guarded } = byConnections[16];
  const compared = (floor) => guarded.batching.against[floor];
  const values = (of) => ['floor', 'floor-fastify'].map((floor) => of(compared(floor)).toFixed(2)).join(' / ');
  const one = byConnections[1].guarded.batching.against['no-batching'];
  return [
    ['goal for guarded requests', 'measured'],
    [
      '16 connections, CPU of the server: at most 0.9 times the floor (on node:http / in Nest on Fastify)',
      values(({ cpu }) => 1 / cpu),
    ],
    [
      '16 connections, requests/s: at least 1.4 times the floor (on node:http / in Nest on Fastify)',
      values(({ rate }) => rate),
    ],
    ['16 connections, CPU of PostgreSQL: at most 30 µs', guarded.batching.backend?.toFixed(0) ?? 'not measured'],
    ['1 connection, time: at most 1.05 times the time without batching', (1 / one.rate).toFixed(2)],
  ];
}
