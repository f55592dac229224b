/** The stores, and the module that opens each. */
export const kinds = {
  memory: 'memory',
  sqlite: 'typeorm',
  postgres: 'typeorm',
  mariadb: 'typeorm',
  redis: 'redis',
};

/** @param options `url` leads there another way than the environment says; `connections` is how many at most */
export async function openStore(kind, options) {
  const { open } = await import(`./${kinds[kind]}.js`);
  return open(kind, options);
}
