import type { OAuth2Paths, OAuth2Registration } from '../interfaces/oauth2-module-options.interface.js';
import { isObject, type Kind } from './option-kinds.js';

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

const relative = (path: string) => path.replace(/^\//, '');
