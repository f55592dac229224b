import { byServer } from './postgres.js';

const whats = ['authenticate', 'token, generated secret', 'token, chosen secret', 'reading a file'];

/** What was measured of stores, as `[title, table]` each, and in the order of the page. */
export function storesTables({ stores, postgres }) {
  const tables = [];
  if (stores) {
    const all = Object.values(stores);
    tables.push([
      'Token requests per second (client_credentials, 32 in flight), hashed secrets and plain ones',
      secrets(all),
    ]);
    tables.push([
      'Milliseconds that others wait while 64 wrong secrets are in flight: median (99 of 100)',
      guesses(all),
    ]);
    tables.push(['Statements (round trips) of one operation, the client included', statements(all)]);
    tables.push(['Per second, by the store and by its driver alone with prepared statements', drivers(all)]);
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
      ...['plain', 'generated (SHA-256)', 'chosen (scrypt, remembered)'].map((kind) => `${kind}: requests/s (CPU µs)`),
      'generated, times the time (CPU) of plain',
      'chosen, times the time (CPU) of plain',
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

function guesses(all) {
  const cell = ({ median, late }) => `${median.toFixed(2)} (${late.toFixed(1)})`;
  return [
    ['store, who waits', 'nothing else happens', 'two threads hash', '64 wrong secrets'],
    ...all.flatMap(({ title, guesses: { nothing, hashing, guesses: wrong } }) =>
      whats.map((what) => [`${title}, ${what}`, ...[nothing, hashing, wrong].map((of) => cell(of[what]))]),
    ),
  ];
}

function statements(all) {
  const counted = all.filter((store) => store.statements);
  const names = Object.keys(counted[0]?.statements ?? {});
  const cell = ({ statements: count, roundTrips }) =>
    [count, roundTrips && `(${roundTrips})`].filter(Boolean).join(' ');
  return [
    ['store', ...names],
    ...counted.map(({ title, statements: measured }) => [title, ...names.map((name) => cell(measured[name]))]),
  ];
}

function drivers(all) {
  return [
    ['store, what, at once', 'store', 'driver alone', 'times its time', 'times its CPU'],
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
