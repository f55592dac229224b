/** The goals of the project and how the results of a run compare with them. */

const lanes = ['1', '32'];

/** Returns a row for each goal and a column for each run. Missed goals are marked. */
export function goalsTable(runs) {
  const goals = [...runs.at(-1).inProcess.operations.flatMap(({ name, title }) => inProcess(name, title)), ...others];
  return [
    ['goal', ...runs.map((_, index) => `run ${index + 1}`)],
    ...goals.map(({ title, read, holds = () => true, digits = 1 }) =>
      [title].concat(
        runs.map((run) => {
          const values = read(run).map((value) => Number(value.toFixed(digits)));
          return values.map((value) => value.toFixed(digits) + (holds(value) ? '' : ' ✗')).join(' / ');
        }),
      ),
    ),
  ];
}

/** Two values for each goal: with one request in flight, and with 32. */
function inProcess(name, title) {
  const ahead = name.startsWith('authenticate') ? 3 : 2.5;
  const ratio = (key) => (run) => {
    const { concurrency } = run.inProcess.operations.find((operation) => operation.name === name);
    return lanes.map((lane) => concurrency[lane][key]);
  };
  return [
    {
      title: `${title}: at least ${ahead} times as fast as the best peer`,
      read: ratio('timesFasterThanBestPeer'),
      holds: (value) => value >= ahead,
      digits: 2,
    },
    { title: '— speed of the floor compared with that peer', read: ratio('floorTimesFaster'), digits: 2 },
    {
      title: '— at most 1.3 times the floor',
      read: ratio('timesTheFloor'),
      holds: atMost(1.3),
      digits: 2,
    },
    {
      title: '— at most 1.15 times as long with options in each call',
      read: ratio('timesServerOptions'),
      holds: atMost(1.15),
      digits: 2,
    },
  ];
}

const atMost = (limit) => (value) => value <= limit;
const lessThan = (limit) => (value) => value < limit;

/**
 * Two values for each goal: the median of the rounds, and the best round, which is least disturbed by other programs.
 */
const statistics = ['median', 'min'];

const guard = (platform) => (run) => {
  const guarded = run.http.platforms[platform].guarded;
  return statistics.map((statistic) => guarded['nest-oauth2'][statistic] - guarded['do-nothing'][statistic]);
};
const tokenPost = (run) => statistics.map((statistic) => run.http.platforms.fastify.token['nest-oauth2'][statistic]);
const imported = (title) => (run) => {
  const { milliseconds } = run.startup.find((row) => row.title === title);
  return statistics.map((statistic) => milliseconds[statistic]);
};

function growth({ scaling }) {
  const [smallest, largest] = [scaling[0].nanoseconds, scaling.at(-1).nanoseconds];
  const operations = Object.keys(smallest).slice(1);
  return operations.map((operation) => largest[operation] / smallest[operation]);
}

const others = [
  {
    title: 'guard on Fastify: at most 3 µs more than a guard that does nothing (median round / best round)',
    read: guard('fastify'),
    holds: atMost(3),
  },
  {
    title: 'guard on Express: at most 10 µs more than a guard that does nothing (median round / best round)',
    read: guard('express'),
    holds: atMost(10),
  },
  {
    title: 'token POST on Fastify: at most 40 µs in total (median round / best round)',
    read: tokenPost,
    holds: atMost(40),
  },
  {
    title: 'import of `nest-oauth2/server`: less than 15 ms (median round / best round)',
    read: imported('nest-oauth2/server'),
    holds: lessThan(15),
  },
  {
    title: 'import of `nest-oauth2` after Nest: less than 10 ms (median round / best round)',
    read: imported('nest-oauth2, after Nest'),
    holds: lessThan(10),
  },
  {
    title: 'memory store, a million tokens: at most 400 bytes each, plus 64 characters for the hash of the token',
    read: (run) => [run.scaling.at(-1).bytesPerToken],
    holds: atMost(464),
    digits: 0,
  },
  {
    title:
      'memory store, a million clients and tokens compared with a hundred: `authenticate` / `token` / `authorize` take the same time (× time)',
    read: growth,
    holds: atMost(1.3),
  },
  {
    title: 'a million requests: bytes of heap that are not freed per request',
    read: (run) => [run.leak.bytesPerRequest],
    holds: atMost(1),
  },
];
