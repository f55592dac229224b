/** The results as tables: rows of text cells, of which the first is the heading. */

export function inProcessTable({ candidates, operations }) {
  const names = Object.keys(candidates);
  const rows = operations.flatMap(({ title, concurrency }) =>
    Object.entries(concurrency).map(([lanes, { nanoseconds, bestPeer, timesFasterThanBestPeer, ...times }]) =>
      [`${title} (${lanes} in flight)`].concat(
        names.map((name) => spread(nanoseconds[name], 0)),
        timesFasterThanBestPeer ? `${timesFasterThanBestPeer.toFixed(2)} (${bestPeer})` : '',
        times.timesTheFloor ? times.timesTheFloor.toFixed(2) : '',
        times.timesServerOptions ? times.timesServerOptions.toFixed(2) : '',
      ),
    ),
  );
  const heading = [
    'operation',
    ...names.map((name) => candidates[name].title),
    'times faster than the best peer',
    'times the floor',
    'options in each call: times nest-oauth2',
  ];
  return [heading, ...rows];
}

export function httpTable({ platforms }) {
  const rows = Object.entries(platforms).flatMap(([platform, operations]) =>
    Object.entries(operations).map(([operation, byName]) =>
      [`${operation === 'guarded' ? 'guarded GET' : 'token POST'}, ${platform}`].concat(
        Object.values(byName).map((summary) => spread(summary, 1)),
      ),
    ),
  );
  const [first] = Object.values(Object.values(platforms)[0]);
  return [['request', ...Object.values(first).map(({ title }) => title)], ...rows];
}

export function joseTable({ verify, http }) {
  const checked = verify.flatMap(({ alg, bare, model, ratio, repeated, repeatedRatio }) => [
    [
      `a new signed token, ${alg}`,
      `JwtTokens ${model.toFixed(0)}, plain jose ${bare.toFixed(0)}`,
      `${ratio.toFixed(2)} times plain jose`,
    ],
    [
      `the same token again, ${alg}`,
      `JwtTokens ${repeated.toFixed(0)}`,
      `${repeatedRatio.toFixed(2)} times plain jose`,
    ],
  ]);
  const served = http.flatMap(({ operation, servers }) =>
    Object.entries(servers).map(([name, { timesLess, ...cpu }]) => [
      `${operation}, ${name}`,
      spread(cpu, 0),
      timesLess && name !== 'oidc-provider' ? `oidc-provider uses ${timesLess.toFixed(2)} times the CPU` : '',
    ]),
  );
  return [['operation', 'CPU microseconds', 'comparison'], ...checked, ...served];
}

export function scalingTable(sizes) {
  const names = Object.keys(sizes[0].nanoseconds);
  const rows = sizes.map(({ size, nanoseconds, bytesPerToken }) => [
    size.toLocaleString('en'),
    ...names.map((name) => nanoseconds[name].toFixed(0)),
    bytesPerToken.toFixed(0),
  ]);
  return [['clients and valid tokens', ...names, 'bytes per valid token'], ...rows];
}

const megabytes = (bytes) => (bytes / 2 ** 20).toFixed(2);

export function leakTable({ requests, heap, bytesPerRequest, timersAndHandles }) {
  return [
    ['requests', 'heap after a tenth', 'heap at the end', 'bytes per request', 'remaining timers and handles'],
    [
      requests.toLocaleString('en'),
      `${megabytes(heap[1])} MiB`,
      `${megabytes(heap.at(-1))} MiB`,
      bytesPerRequest.toFixed(2),
      String(timersAndHandles),
    ],
  ];
}

export function startUpTable(rows) {
  return [
    ['import', 'milliseconds', 'files', 'packages', 'public modules of Node'],
    ...rows.map(({ title, milliseconds, files, packages, builtins }) => [
      title,
      spread(milliseconds, 1),
      String(files),
      String(packages.length),
      builtins.filter((name) => !name.startsWith('_')).join(', '),
    ]),
  ];
}

function spread({ median, min, max }, digits) {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}
