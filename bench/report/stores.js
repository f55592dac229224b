import { byServer } from './postgres.js';

const whats = ['authenticate', 'token, generated secret', 'token, chosen secret', 'reading a file'];

/** Returns the tables of the stores as `[title, table]`, in the order of the page. */
export function storesTables({ stores, postgres }) {
  const tables = [];
  if (stores) {
    const all = Object.values(stores);
    tables.push([
      'Token requests per second (client_credentials, 32 in flight), hashed and plain secrets',
      secrets(all),
    ]);
    tables.push([
      'Milliseconds that other requests wait during 64 requests with wrong secrets: median (99th percentile)',
      guesses(all),
    ]);
    tables.push(['Statements (round trips) of one operation, including the lookup of the client', statements(all)]);
    tables.push([
      'Operations per second, with the store and with its driver alone and prepared statements',
      drivers(all),
    ]);
  }
  if (postgres) {
    for (const operation of ['token', 'guarded']) {
      const title = operation === 'token' ? 'Token POST (client_credentials)' : 'Guarded GET';
      tables.push([
        `${title} over HTTP on one PostgreSQL, ${postgres.poolSize} connections`,
        byServer(postgres, operation),
      ]);
    }
  }
  return tables;
}

const whole = (value) => Math.round(value).toLocaleString('en');

function secrets(all) {
  const kinds = ['plain', 'generated', 'chosen'];
  return [
    [
      'store',
      ...['plain', 'generated (SHA-256)', 'chosen (scrypt, cached)'].map((kind) => `${kind}: requests/s (CPU µs)`),
      'generated: time (CPU) compared with plain',
      'chosen: time (CPU) compared with plain',
    ],
    ...all.map(({ title, secrets: measured }) => [
      title,
      ...kinds.map((kind) => `${whole(measured[kind].perSecond)} (${whole(measured[kind].microseconds)})`),
      ...kinds
        .slice(1)
        .map((kind) => `${measured[kind].timesTheTime.toFixed(2)} (${measured[kind].timesTheCpu.toFixed(2)})`),
    ]),
  ];
}

const waited = ({ median, late }) => `${median.toFixed(2)} (${late.toFixed(1)})`;

function guesses(all) {
  return [
    ['store, waiting request', 'idle process', 'two hashing threads', '64 wrong secrets'],
    ...all.flatMap(({ title, guesses: { nothing, hashing, guesses: wrong } }) =>
      whats.map((what) => [`${title}, ${what}`].concat([nothing, hashing, wrong].map((of) => waited(of[what])))),
    ),
  ];
}

const counts = ({ statements: count, roundTrips }) =>
  [count, roundTrips && `(${roundTrips})`].filter(Boolean).join(' ');

function statements(all) {
  const counted = all.filter((store) => store.statements);
  const names = Object.keys(counted[0]?.statements ?? {});
  return [
    ['store', ...names],
    ...counted.map(({ title, statements: measured }) => [title].concat(names.map((name) => counts(measured[name])))),
  ];
}

function drivers(all) {
  return [
    [
      'store, operation, concurrency',
      'store',
      'driver alone',
      'time compared with the driver',
      'CPU compared with the driver',
    ],
    ...all.flatMap(({ title, driver }) =>
      driver.map(({ what, concurrency, store, floor, timesTheTime, timesTheCpu }) => [
        `${title}, ${what}, ${concurrency}`,
        whole(store),
        whole(floor),
        timesTheTime.toFixed(2),
        timesTheCpu.toFixed(2),
      ]),
    ),
  ];
}
