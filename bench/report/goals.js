/** What the project set out to reach, and how a run of the benchmark reads against it. */

const lanes = ['1', '32'];

/** A row for each goal, a column for each run; what misses its goal is marked. */
export function goalsTable(runs) {
  const goals = [...runs.at(-1).inProcess.operations.flatMap(({ name, title }) => inProcess(name, title)), ...others];
  return [
    ['goal', ...runs.map((_, index) => `run ${index + 1}`)],
    ...goals.map(({ title, read, holds = () => true, digits = 1 }) => [
      title,
      ...runs.map((run) => {
        const values = read(run);
        return values.map((value) => value.toFixed(digits) + (holds(value) ? '' : ' ✗')).join(' / ');
      }),
    ]),
  ];
}

/** Two values each: one request in flight, and 32. */
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
    { title: '— how far ahead of that peer the floor is', read: ratio('floorTimesFaster'), digits: 2 },
    {
      title: '— at most 1.3 times the floor',
      read: ratio('timesTheFloor'),
      holds: (value) => value <= 1.3,
      digits: 2,
    },
  ];
}

const atMost = (limit) => (value) => value <= limit;

const medians = (run, platform, operation) => run.http.platforms[platform][operation];
const guard = (platform) => (run) => {
  const guarded = medians(run, platform, 'guarded');
  return [guarded['nest-oauth2'].median - guarded['do-nothing'].median];
};
const imported = (title) => (run) => [run.startup.find((row) => row.title === title).milliseconds.median];

const others = [
  { title: 'guard on Fastify: at most 3 µs over a guard that does nothing', read: guard('fastify'), holds: atMost(3) },
  {
    title: 'token POST on Fastify: at most 40 µs in all',
    read: (run) => [medians(run, 'fastify', 'token')['nest-oauth2'].median],
    holds: atMost(40),
  },
  {
    title: 'guard on Express: at most 10 µs over a guard that does nothing',
    read: guard('express'),
    holds: atMost(10),
  },
  {
    title:
      'memory store: at most 400 bytes per live token, at a million, and the 64 characters that stand for the token',
    read: (run) => [run.scaling.at(-1).bytesPerToken],
    holds: atMost(464),
    digits: 0,
  },
  {
    title: 'a million requests: bytes of heap that each leaves behind',
    read: (run) => [run.leak.bytesPerRequest],
    holds: atMost(1),
  },
  {
    title: 'import of `nest-oauth2/server`: less than 15 ms',
    read: imported('nest-oauth2/server'),
    holds: atMost(15),
  },
  {
    title: 'import of `nest-oauth2` after Nest: less than 10 ms',
    read: imported('nest-oauth2, after Nest'),
    holds: atMost(10),
  },
];
