import type { OAuth2Paths, OAuth2Registration } from '../interfaces/oauth2-module-options.interface.js';
import { isObject, type Kind } from './option-kinds.js';
import { verify } from './verify.js';

/** A path of literal segments and `:parameters`. */
const PATH = /^\/?(?:[\w.~%-]+|:\w+)(?:\/(?:[\w.~%-]+|:\w+))*$/;

/** Where the endpoints are: both known, both paths, and not the same. */
export const PATHS: Kind = (value, option) => {
  if (!isObject(value)) return `the option \`${option}\` must be an object such as \`{ token: 'oauth/token' }\``;
  for (const [name, path] of Object.entries(value)) {
    if (name !== 'authorize' && name !== 'token') {
      return `unknown path \`${option}.${name}\`: there are \`authorize\` and \`token\``;
    }
    if (path !== undefined && !(typeof path === 'string' && PATH.test(path))) {
      return `the option \`${option}.${name}\` must be a path such as 'oauth/${name}', without a query`;
    }
  }
  const { authorize, token } = settlePaths(value);
  if (authorize !== token) return undefined;
  return `the options \`${option}.authorize\` and \`${option}.token\` must differ`;
};

/** The routes, defaults filled in. */
export function settlePaths(paths: OAuth2Registration['paths']): OAuth2Paths {
  return { authorize: relative(paths?.authorize ?? 'oauth/authorize'), token: relative(paths?.token ?? 'oauth/token') };
}

const claimed = new WeakMap<object, Set<string>>();

/** Checks that no two imports of the module want one route of an application: one of them would never be asked. */
export function claimRoutes(application: object, paths: OAuth2Paths): void {
  const routes = claimed.get(application) ?? new Set();
  claimed.set(application, routes);
  for (const path of Object.values(paths as unknown as Record<string, string>)) {
    const remedy = 'give one of them other `paths`, or `controllers: false`';
    verify(!routes.has(path), `two imports of OAuth2Module have the path \`${path}\`: ${remedy}`);
    routes.add(path);
  }
}

const relative = (path: string) => path.replace(/^\//, '');
