/** Options of Node that limit the heap of a process. */
export const LIMITED = ['--max-old-space-size=96', '--max-semi-space-size=4'];

const fastify = (kind, more) => ({ kind, platform: 'fastify', ...more });
const express = (kind, more) => ({ kind, platform: 'express', ...more });
const api = (alg) => ({
  name: `api-${alg}`,
  title: `JWT, ${alg}`,
  options: { platform: 'fastify', alg, isApi: true },
  operations: ['guarded', 'first'],
});
const both = ['token', 'refresh'];
const main = [...both, 'guarded'];

/** The deployments that are measured alternately, in groups. */
export const groups = {
  postgres: [
    {
      name: 'opaque',
      title: 'opaque',
      options: fastify('postgres'),
      operations: [...both, 'code', 'guarded'],
    },
    { name: 'ES256', title: 'JWT, ES256', options: fastify('postgres', { alg: 'ES256' }), operations: both },
    { name: 'RS256', title: 'JWT, RS256', options: fastify('postgres', { alg: 'RS256' }), operations: both },
    api('ES256'),
    api('RS256'),
    api('EdDSA'),
    { name: 'express', title: 'opaque', options: express('postgres'), operations: main },
    {
      name: 'limited',
      title: 'opaque, limited heap',
      options: fastify('postgres', { nodeOptions: LIMITED }),
      operations: main,
    },
  ],
  login: [{ name: 'login', title: 'opaque', options: fastify('postgres'), operations: ['login'] }],
  mariadb: [
    { name: 'mariadb', title: 'opaque', options: fastify('mariadb'), operations: main },
    { name: 'mariadb-express', title: 'opaque', options: express('mariadb'), operations: main },
  ],
  redis: [
    { name: 'redis', title: 'opaque', options: fastify('redis'), operations: main },
    { name: 'redis-express', title: 'opaque', options: express('redis'), operations: main },
  ],
};

/** The deployments of a brief run. */
export const briefGroup = [
  { ...groups.postgres[0], operations: [...main, 'code', 'login'] },
  groups.postgres.find(({ name }) => name === 'api-ES256'),
  groups.mariadb[0],
  groups.redis[0],
];
