import { BOOLEAN, type OptionCheckOf, SECONDS } from './option-checks.js';
import { isObject } from '../http/is-object.js';

/** Which pages of other origins may call an endpoint that allows it: never the authorization endpoint. RFC 9700 §2.6 */
export interface CorsOptions {
  /** Such as `https://app.example.com`; `'*'`: any. On the request itself it must be one of the client's too. */
  origins: readonly string[] | '*';
  /** May they call the protected resources of this application too, as far as features name those? Default: false */
  resources?: boolean;
  /** Seconds in which a browser need not ask again. Default: 7200 */
  maxAge?: number;
}

/** A scheme, a host, and a port where it is not the usual one: as browsers write it. RFC 6454 §6.2 */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#@\s*]+$/;

const NAMES = ['origins', 'resources', 'maxAge'];

/** Which origins may call: a slash too many, or a capital, and no browser's `Origin` would ever be found. */
export const CORS: OptionCheckOf<CorsOptions> = (value, option, beside) => {
  if (!isObject(value))
    return `the option \`${option}\` must be an object such as \`{ origins: ['https://app.example.com'] }\``;
  const unknown = Object.keys(value).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    return `unknown option \`${option}.${unknown}\`: there are \`origins\`, \`resources\` and \`maxAge\``;
  }
  const { origins, maxAge, resources } = value;
  const fault = resources === undefined ? undefined : BOOLEAN(resources, `${option}.resources`, beside);
  if (fault !== undefined) return fault;
  if (origins !== '*' && !(Array.isArray(origins) && origins.length > 0)) {
    return `the option \`${option}.origins\` must be '*' or a list such as ['https://app.example.com']`;
  }
  const odd = origins === '*' ? [] : (origins as unknown[]).filter((origin) => !isOrigin(origin));
  if (odd.length > 0) {
    return `the origin \`${String(odd[0])}\` in \`${option}.origins\` must be one as browsers send it, such as 'https://app.example.com'`;
  }
  return maxAge === undefined ? undefined : SECONDS(maxAge, `${option}.maxAge`, beside);
};

function isOrigin(value: unknown): boolean {
  if (typeof value !== 'string' || !ORIGIN.test(value) || !URL.canParse(value)) return false;
  // Of schemes that are not the web's, only the browser knows how it writes them.
  const { origin } = new URL(value);
  return origin === 'null' || origin === value;
}
