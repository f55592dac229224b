/** The goals of the capacity benchmark and how the results of a run compare with them. */
export function capacityGoalsTable({ rows, ratios, keycloak }) {
  const goals = [...ofSigning(ratios), ...ofMemory(rows), ...ofKeycloak(keycloak)];
  return [
    ['goal', 'measured'],
    ...goals.map(({ title, values, holds, digits = 2 }) => [
      title,
      values
        .map((value) => Number(value.toFixed(digits)))
        .map((value) => `${value.toFixed(digits)}${holds(value) ? '' : ' ✗'}`)
        .join(' / ') || 'not measured',
    ]),
  ];
}

const atMost = (limit) => (value) => value <= limit;
const atLeast = (limit) => (value) => value >= limit;
const lessThan = (limit) => (value) => value < limit;

const ofSigning = (ratios) => [
  {
    title: 'token POST with ES256 access tokens: at most 1.3 times the CPU of opaque ones',
    values: ratios ? [ratios.ES256] : [],
    holds: atMost(1.3),
  },
];

const LIMIT_OF_MEMORY = 150;

function ofMemory(rows) {
  const largest = (name) =>
    Math.max(...rows.filter((row) => row.name === name && row.operation !== 'code').map(({ memory }) => memory)) / 1e6;
  const measured = ['opaque', 'limited'].filter((name) => rows.some((row) => row.name === name));
  return [
    {
      title: `memory of a process under load, PostgreSQL and Fastify: less than ${LIMIT_OF_MEMORY} MB (default heap / limited heap)`,
      values: measured.map(largest),
      holds: lessThan(LIMIT_OF_MEMORY),
      digits: 0,
    },
  ];
}

const AHEAD = { token: 4, refresh: 5 };

function ofKeycloak(keycloak) {
  return Object.entries(AHEAD).map(([operation, limit]) => {
    const ratios = keycloak?.ratios[operation] ?? {};
    const request = operation === 'token' ? '`client_credentials`' : 'refresh';
    return {
      title: `${request}: Keycloak uses at least ${limit} times the CPU (${Object.keys(ratios).join(' / ') || 'ES256'})`,
      values: Object.values(ratios),
      holds: atLeast(limit),
      digits: 1,
    };
  });
}
