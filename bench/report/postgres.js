/** Returns the results of each server on PostgreSQL for one kind of request. */
export function byServer({ operations }, operation) {
  const first = Object.keys(operations[operation])[0];
  return [
    [
      'server',
      'CPU µs: median (min–max)',
      'CPU µs of PostgreSQL',
      'requests/s',
      'CPU compared with the first row',
      'requests/s compared with the first row',
    ],
    ...Object.values(operations[operation]).map(({ title, cpu, backend, rate, against }) => [
      title,
      spread(cpu, 0),
      backend === undefined ? '' : backend.toFixed(0),
      spread(rate, 0),
      (1 / against[first].cpu).toFixed(2),
      against[first].rate.toFixed(2),
    ]),
  ];
}

function spread({ median, min, max }, digits) {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}
