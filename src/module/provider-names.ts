/** Returns the provider name of `OAuth2Clients` of a server. The ESM and the CommonJS build use the same name. */
export const clientsName = (name?: string): string =>
  name === undefined ? 'OAuth2Clients' : `OAuth2Clients of \`${name}\``;

/** Returns the provider name of `OAuth2Grants` of a server. The ESM and the CommonJS build use the same name. */
export const grantsName = (name?: string): string =>
  name === undefined ? 'OAuth2Grants' : `OAuth2Grants of \`${name}\``;

/** The parts of a provider of Nest that name its class. */
interface Provider {
  readonly metatype?: unknown;
  readonly instance?: unknown;
}

/**
 * Returns the names of the providers of an application: of their tokens, of their classes, and of the classes of what
 * their factories returned. Only names are the same in the ESM and the CommonJS build.
 */
export function providerNames(
  modules: ReadonlyMap<string, { readonly providers: ReadonlyMap<unknown, Provider> }>,
): ReadonlySet<string> {
  const providers = [...modules.values()].flatMap((module) => Array.from(module.providers));
  const typesOf = ({ metatype, instance }: Provider) => [metatype, (instance as object | undefined)?.constructor];
  return new Set(providers.flatMap(([token, provider]) => [token, ...typesOf(provider)].map(nameOf)));
}

/** Returns the name of a class or function, and any other value as text. */
export const nameOf = (value: unknown): string => (typeof value === 'function' ? value.name : String(value));

/** Whether a store needs the provider `OAuth2Maintenance`, because its database does not delete expired records. */
export const needsMaintenance = (store: string): boolean => /^(?:TypeOrm|Drizzle|Prisma)Store$/.test(store);
