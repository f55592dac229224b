import type { Type } from '@nestjs/common';

/**
 * The metadata key of the `@CurrentUser()` parameters of a method. Its value tells for each parameter index whether the
 * parameter requires a user.
 */
const USER_PARAMETERS_METADATA = 'nest-oauth2:user-parameters';

type UserParameters = Readonly<Record<number, boolean>>;

/**
 * Stores that a parameter has `@CurrentUser()`. The parameters of an overridden method are kept, because Nest injects
 * them too.
 */
export function addUserParameter(target: object, key: string | symbol, index: number, isRequired: boolean): void {
  const before = Reflect.getMetadata(USER_PARAMETERS_METADATA, target, key) as UserParameters | undefined;
  Reflect.defineMetadata(USER_PARAMETERS_METADATA, { ...before, [index]: isRequired }, target, key);
}

/**
 * Whether a parameter of a method has `@CurrentUser()` without `optional`. Metadata of parameters belongs to the name of
 * the method, so a method decorator that replaces the function does not hide it.
 */
export function hasRequiredUserParameter(handler: object, controller: Type): boolean {
  const { prototype } = controller as { prototype: object | undefined };
  return namesOf(handler, prototype).some((name) => {
    const parameters = Reflect.getMetadata(USER_PARAMETERS_METADATA, prototype!, name) as UserParameters | undefined;
    return Object.values(parameters ?? {}).includes(true);
  });
}

/** Returns the names of a method in a class and the classes that it extends. */
function namesOf(handler: object, prototype: object | undefined): (string | symbol)[] {
  const names: (string | symbol)[] = [];
  for (let owner = prototype; owner && owner !== Object.prototype; owner = Object.getPrototypeOf(owner) as object) {
    for (const name of Reflect.ownKeys(owner)) {
      if (Object.getOwnPropertyDescriptor(owner, name)!.value === handler) names.push(name);
    }
  }
  return names;
}
