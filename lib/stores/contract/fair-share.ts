let findTenant: (() => object | undefined) | undefined;

/**
 * Sets the function that returns the tenant of the current request, so that tenants that share a store take turns.
 * @param find returns the same object for all requests of a tenant
 */
export function takeTurnsBy(find: () => object | undefined): void {
  findTenant = find;
}

/** Returns the tenant of the current request. `undefined` outside of requests, and for applications without tenants. */
export const currentTenant = (): object | undefined => findTenant?.();
