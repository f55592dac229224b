/** The stores, and the modules that open them. */
export const kinds = {
  memory: 'memory',
  sqlite: 'typeorm',
  postgres: 'typeorm',
  mariadb: 'typeorm',
  redis: 'redis',
};

/** @param options `url` replaces the address of the environment. `connections` is the maximum number of connections. */
export async function openStore(kind, options) {
  const { open } = await import(`./${kinds[kind]}.js`);
  return open(kind, options);
}
