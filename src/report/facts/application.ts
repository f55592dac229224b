import { nameOf, providerNames } from '../../module/provider-names.js';

/** A route of the application. */
export interface ReportRoute {
  /** The controller and its method, such as `NotesController.list`. */
  readonly name: string;
  /** The path, without the global prefix. */
  readonly path: string;
  /** Whether `OAuthGuard` guards it: itself, its controller, or the whole application. */
  readonly isGuarded: boolean;
  /** The names of its guards that are not `OAuthGuard`. They may verify tokens in their own way. */
  readonly otherGuards: readonly string[];
  readonly isPublic: boolean;
  /** The decorators of this library that the route needs the guard for, such as `@Scopes()`. */
  readonly decorators: readonly string[];
}

/** The parts of the Nest application that rules read. */
export interface ReportApplication {
  readonly routes: readonly ReportRoute[];
  /** Whether a provider of this class name is part of the application. */
  readonly hasProvider: (name: string) => boolean;
  /** Whether a method of the application listens to events of the servers. */
  readonly hasListeners: boolean;
}

/** The parts of a module of Nest that are read. */
interface Module {
  readonly controllers: ReadonlyMap<unknown, { readonly metatype?: unknown }>;
  readonly providers: ReadonlyMap<unknown, { readonly metatype?: unknown; readonly instance?: unknown }>;
}

/** The modules of a Nest application, as its `ModulesContainer` contains them. */
export type Modules = ReadonlyMap<string, Module>;

/** Metadata keys of Nest and of this library. They are texts, so both builds of the library use the same. */
const GUARDS = '__guards__';
const PATH = 'path';
const DECORATORS: Readonly<Record<string, string>> = {
  'nest-oauth2:scopes': '@Scopes()',
  'nest-oauth2:any-scope': '@AnyScope()',
  'nest-oauth2:roles': '@Roles()',
  'nest-oauth2:user-required': '@UserRequired()',
  'nest-oauth2:require-auth': '@RequireAuth()',
  'nest-oauth2:optional-auth': '@OptionalAuth()',
};
const PUBLIC = 'nest-oauth2:public';
const LISTENER = 'nest-oauth2:on-event';

/**
 * Returns the parts of an application that rules read.
 * @param globalGuards The guards that `app.useGlobalGuards()` has set.
 */
export function readApplication(modules: Modules, globalGuards: readonly unknown[] = []): ReportApplication {
  const providers = [...modules.values()].flatMap((module) => Array.from(module.providers));
  const names = providerNames(modules);
  const appGuards = providers.filter(([token]) => String(token).startsWith('APP_GUARD'));
  const ofAll = [...globalGuards, ...appGuards.map(([, { instance, metatype }]) => instance ?? metatype)];
  const controllers = [...modules.values()].flatMap((module) => Array.from(module.controllers.values()));
  const classes = [...controllers, ...providers.map(([, one]) => one)].map(({ metatype }) => metatype);
  return {
    routes: controllers.flatMap(({ metatype }) => routesOf(metatype, ofAll)),
    hasProvider: (name) => names.has(name),
    hasListeners: classes.some((one) => methodsOf(one).some(([, method]) => has(LISTENER, method))),
  };
}

function routesOf(controller: unknown, globalGuards: readonly unknown[]): ReportRoute[] {
  if (typeof controller !== 'function') return [];
  const base = pathOf(controller);
  return methodsOf(controller).flatMap(([name, method]) => {
    if (!has(PATH, method)) return [];
    const own = [controller, method].flatMap((one) => (get(GUARDS, one) as unknown[] | undefined) ?? []);
    const guards = [...globalGuards, ...own].map((one) => (typeof one === 'function' ? one : constructorOf(one)));
    const others = guards.filter((one) => !isOAuthGuard(one)).map(nameOf);
    return [
      {
        name: `${controller.name}.${name}`,
        path: `/${[base, pathOf(method)].filter(Boolean).join('/')}`,
        isGuarded: guards.some(isOAuthGuard),
        // Throttlers verify no tokens.
        otherGuards: others.filter((one) => !/throttl/i.test(one)),
        isPublic: Boolean(get(PUBLIC, method) ?? get(PUBLIC, controller)),
        decorators: Object.entries(DECORATORS).flatMap(([key, decorator]) =>
          has(key, method) || has(key, controller) ? [decorator] : [],
        ),
      },
    ];
  });
}

/** Whether a class is `OAuthGuard` or extends it. The name is compared, because the other build has another class. */
function isOAuthGuard(guard: unknown): boolean {
  for (let one = guard; typeof one === 'function' && one.name !== ''; one = Object.getPrototypeOf(one))
    if (one.name === 'OAuthGuard') return true;
  return false;
}

/** Returns the methods of a class by name, including those that it inherits. */
function methodsOf(type: unknown): [string, object][] {
  const methods = new Map<string, object>();
  let prototype: unknown = typeof type === 'function' ? type.prototype : undefined;
  for (; typeof prototype === 'object' && prototype !== null; prototype = Object.getPrototypeOf(prototype)) {
    if (prototype === Object.prototype) break;
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const value: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
      if (name !== 'constructor' && typeof value === 'function' && !methods.has(name)) methods.set(name, value);
    }
  }
  return [...methods];
}

const get = (key: string, target: object): unknown => Reflect.getMetadata(key, target);
const has = (key: string, target: object): boolean => Reflect.hasMetadata(key, target);
const constructorOf = (value: unknown): unknown => (value as object | undefined)?.constructor;

/** Returns the path of a controller or a method, without a slash at its ends. A list of paths stands for its first one. */
function pathOf(target: object): string {
  const path = [get(PATH, target)].flat()[0];
  return typeof path === 'string' ? path.replaceAll(/^\/+|\/+$/g, '') : '';
}
