/** The results of the capacity benchmark as tables: rows of text cells, of which the first is the heading. */

export const OPERATIONS = {
  token: 'token by `client_credentials`',
  refresh: 'refresh with rotation',
  code: 'code flow: authorize and token',
  login: 'login with a password',
  guarded: 'guarded GET',
  first: 'guarded GET with a new token',
};
const ADAPTERS = { fastify: 'Fastify', express: 'Express' };
export const DATABASES = { postgres: 'PostgreSQL', mariadb: 'MariaDB', redis: 'Redis' };
const LOGS = { postgres: 'WAL bytes', mariadb: 'redo log bytes' };

export const whole = (value) => (value === undefined ? '' : Math.round(value).toLocaleString('en'));
const milliseconds = (value) => value.toFixed(value < 10 ? 1 : 0);
export const megabytes = (bytes) => whole(bytes / 1e6);
/** Requests per second of CPU time. */
const perCpuSecond = ({ cpu }) => 1e6 / cpu.median;

/** Returns the tables as `[title, table]`, in the order of the page. */
export function capacityTables({ rows, keycloak }) {
  const kinds = Object.keys(DATABASES).filter((kind) => rows.some((row) => row.kind === kind));
  const tables = kinds.map((kind) => [`Requests on ${DATABASES[kind]}`, ofDatabase(kind, rows)]);
  const signed = rows.filter((row) => !row.kind);
  if (signed.length > 0) tables.push(['Signed access tokens, without a database', withoutDatabase(signed)]);
  if (keycloak) tables.push(['Keycloak', ofKeycloak(keycloak)]);
  return tables;
}

function ofDatabase(kind, rows) {
  const log = LOGS[kind];
  return [
    [
      'request',
      'requests/s',
      'requests per CPU second of the server',
      'CPU µs of the server',
      `CPU µs of ${DATABASES[kind]}`,
      'p50 ms',
      'p99 ms',
      'memory MB',
      ...(log ? [log] : []),
      log ? 'bytes of tables and indexes' : 'bytes of memory',
    ],
    ...rows
      .filter((row) => row.kind === kind)
      .map((row) => [nameOf(row)].concat(timesOf(row, true), writesOf(row).slice(log ? 0 : 1))),
  ];
}

/** The bytes of log and storage that a request writes. */
const writesOf = (row) => (row.operation === 'guarded' ? ['', ''] : [whole(row.log), whole(row.stored)]);

const withoutDatabase = (rows) => [
  [
    'request',
    'requests/s',
    'requests per CPU second of the server',
    'CPU µs of the server',
    'p50 ms',
    'p99 ms',
    'memory MB',
  ],
  ...rows.map((row) => [nameOf(row), ...timesOf(row, false)]),
];

const nameOf = ({ operation, platform, title }) => `${OPERATIONS[operation]}, ${title}, ${ADAPTERS[platform]}`;

const timesOf = (row, hasDatabase) => [
  whole(row.rate.median),
  whole(perCpuSecond(row)),
  whole(row.cpu.median),
  ...(hasDatabase ? [whole(row.backend)] : []),
  milliseconds(row.p50),
  milliseconds(row.p99),
  megabytes(row.memory),
];

function ofKeycloak({ version, rows, ratios }) {
  return [
    [
      'request',
      'server',
      'requests/s',
      'CPU µs of the server',
      'CPU µs of PostgreSQL',
      'p50 ms',
      'p99 ms',
      'memory MB',
      'CPU of Keycloak, times this library',
    ],
    ...rows.map((row) => [
      `${OPERATIONS[row.operation]}, ${row.alg}`,
      row.isKeycloak ? `Keycloak ${version}` : 'nest-oauth2, Fastify',
      whole(row.rate.median),
      whole(row.cpu.median),
      whole(row.backend),
      milliseconds(row.p50),
      milliseconds(row.p99),
      megabytes(row.memory),
      row.isKeycloak ? ratios[row.operation][row.alg].toFixed(1) : '',
    ]),
  ];
}
