import { BOOLEAN, type OptionCheckOf, SECONDS } from './option-checks.js';
import { isObject } from '../http/is-object.js';

/**
 * Which pages of other origins may call the endpoints that allow CORS. The authorization endpoint never allows it.
 * RFC 9700 §2.6
 */
export interface CorsOptions {
  /**
   * The allowed origins, such as `https://app.example.com`, or `'*'` for all. The client of a request must allow the
   * origin as well, by its `allowedOrigins` or, if these are omitted, its redirect URIs.
   */
  origins: readonly string[] | '*';
  /** Whether these origins may also call the protected resources that features declare. Default: `false`. */
  resources?: boolean;
  /** Seconds for which browsers cache the result of a preflight request. Default: `7200`. */
  maxAge?: number;
}

/** A serialized origin as browsers send it: scheme, host, and the port unless it is the default port. RFC 6454 §6.2 */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#@\s*]+$/;

const NAMES = ['origins', 'resources', 'maxAge'];

/**
 * Validates the option `cors`. An origin with a trailing slash or upper-case letters is rejected, because no browser
 * sends it.
 */
export const CORS: OptionCheckOf<CorsOptions> = (value, option, others) => {
  if (!isObject(value))
    return `the option \`${option}\` must be an object such as \`{ origins: ['https://app.example.com'] }\``;
  const unknown = Object.keys(value).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    return `unknown option \`${option}.${unknown}\`: the options are \`origins\`, \`resources\` and \`maxAge\``;
  }
  const { origins, maxAge, resources } = value;
  const resourcesError = resources === undefined ? undefined : BOOLEAN(resources, `${option}.resources`, others);
  if (resourcesError !== undefined) return resourcesError;
  if (origins !== '*' && !(Array.isArray(origins) && origins.length > 0)) {
    return `the option \`${option}.origins\` must be '*' or a list such as ['https://app.example.com']`;
  }
  const invalid = origins === '*' ? [] : (origins as unknown[]).filter((origin) => !isOrigin(origin));
  if (invalid.length > 0) {
    return `the origin \`${String(invalid[0])}\` in \`${option}.origins\` must be written exactly as browsers send it, without path or trailing slash, such as 'https://app.example.com'`;
  }
  return maxAge === undefined ? undefined : SECONDS(maxAge, `${option}.maxAge`, others);
};

/** Whether a value is an origin, written exactly as browsers send it. RFC 6454 §6.2 */
export function isOrigin(value: unknown): boolean {
  if (typeof value !== 'string' || !ORIGIN.test(value) || !URL.canParse(value)) return false;
  // The URL parser reports the origin of custom schemes as `null`, so these cannot be compared.
  const { origin } = new URL(value);
  return origin === 'null' || origin === value;
}
