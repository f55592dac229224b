/** The goals of the stores and how the results of a run compare with them. */
export function storeGoalsTable({ stores = {}, postgres }) {
  const goals = [...Object.entries(stores).flatMap(([kind, store]) => ofStore(kind, store)), ...overHttp(postgres)];
  return [
    ['goal', 'measured'],
    ...goals.map(({ title, values, holds, digits = 2 }) => [
      title,
      values
        .map((value) => Number(value.toFixed(digits)))
        .map((value) => `${value.toFixed(digits)}${holds && !holds(value) ? ' ✗' : ''}`)
        .join(' / '),
    ]),
  ];
}

const atMost = (limit) => (value) => value <= limit;
const waits = ({ authenticate: { median } }) => median;
const atLeast = (limit) => (value) => value >= limit;

/**
 * Maximum number of statements of a token request that consumes a code or token. On Redis, maximum number of round
 * trips.
 */
const STATEMENTS = { postgres: 3, mariadb: 4, sqlite: 4, redis: 3 };

function ofStore(kind, { title, secrets: { generated, chosen }, guesses, statements }) {
  const { nothing, hashing, guesses: wrong } = guesses;
  return [
    {
      title: `${title}: hashed secrets take at most 1.5 times the time of plain ones (generated / chosen)`,
      values: [generated.timesTheTime, chosen.timesTheTime],
      holds: atMost(1.5),
    },
    {
      title: `${title}: 64 wrong secrets do not delay other requests: \`authenticate\` at most 1.3 times as long as with two hashing threads`,
      values: [waits(wrong) / waits(hashing)],
      holds: atMost(1.3),
    },
    { title: '— compared with an idle process', values: [waits(wrong) / waits(nothing)] },
    ...(statements ? statementGoals(kind, title, statements) : []),
  ];
}

function statementGoals(kind, title, { authenticate, redeem, refresh }) {
  const count = ({ statements, roundTrips }) =>
    Number(
      String(kind === 'redis' ? roundTrips : statements)
        .split('–')
        .at(-1),
    );
  const unit = kind === 'redis' ? 'round trip' : 'statement';
  const limit = STATEMENTS[kind];
  return [
    { title: `${title}: \`authenticate\` with 1 ${unit}`, values: [count(authenticate)], holds: atMost(1), digits: 0 },
    {
      title: `${title}: redeem / refresh with ${limit} ${unit}s`,
      values: [count(redeem), count(refresh)],
      holds: atMost(limit),
      digits: 0,
    },
  ];
}

function overHttp(postgres) {
  if (!postgres) return [];
  const { token, guarded } = postgres.operations;
  const rivals = ['oidc-provider', 'oidc-provider-best'];
  const ours = { 'nest-express': 'Nest on Express', 'nest-fastify': 'Nest on Fastify' };
  const ahead = (name, key) => rivals.map((rival) => token[name].against[rival][key]);
  return Object.entries(ours).flatMap(([name, platform]) => [
    {
      title: `token POST, ${platform}: oidc-provider uses at least 1.3 times the CPU (usual / best configuration)`,
      values: ahead(name, 'cpu'),
      holds: atLeast(1.3),
    },
    {
      title: `token POST, ${platform}: at least 1.3 times the requests/s of oidc-provider (usual / best configuration)`,
      values: ahead(name, 'rate'),
      holds: atLeast(1.3),
    },
    {
      title: `guarded GET, ${platform}: at most 1.3 times the CPU of the floor (\`node:http\` / in Nest on Express)`,
      values: ['floor', 'floor-express'].map((floor) => 1 / guarded[name].against[floor].cpu),
      holds: atMost(1.3),
    },
  ]);
}
