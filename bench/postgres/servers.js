/** The servers and the modules that start them. The others are compared with the first. */
export const servers = {
  'nest-express': {
    title: 'nest-oauth2, Nest on Express, generated secret',
    load: () => import('./nest-oauth2.js'),
    options: { platform: 'express' },
  },
  'nest-express-chosen': {
    title: 'nest-oauth2, Nest on Express, chosen secret',
    load: () => import('./nest-oauth2.js'),
    options: { platform: 'express', isChosen: true },
  },
  'nest-fastify': {
    title: 'nest-oauth2, Nest on Fastify, generated secret',
    load: () => import('./nest-oauth2.js'),
    options: { platform: 'fastify' },
  },
  'oidc-provider': {
    title: 'oidc-provider 9.13.3, its usual adapter',
    load: () => import('./oidc-provider.js'),
    options: {},
  },
  'oidc-provider-best': {
    title: 'oidc-provider 9.13.3, client in the program, named statements',
    load: () => import('./oidc-provider.js'),
    options: { isStatic: true, isNamed: true },
  },
  'better-auth': { title: 'better-auth 1.7.5, oauth-provider', load: () => import('./better-auth.js'), options: {} },
  floor: { title: 'floor: node:http and named statements', load: () => import('./floor.js'), options: {} },
  'floor-express': {
    title: 'floor in Nest on Express',
    load: () => import('./floor.js'),
    options: { platform: 'express' },
  },
};

/** The servers that show the effect of batching. The others are compared with the first. */
export const batchingServers = {
  floor: servers.floor,
  'floor-fastify': {
    title: 'floor in Nest on Fastify',
    load: () => import('./floor.js'),
    options: { platform: 'fastify' },
  },
  batching: servers['nest-fastify'],
  'no-batching': {
    title: 'nest-oauth2, Nest on Fastify, `batching: false`',
    load: () => import('./nest-oauth2.js'),
    options: { platform: 'fastify', batching: false },
  },
};
