import { InvalidArgumentError } from '../../errors/index.js';
import { isScopeValue } from '../../http/syntax.js';

/** The scopes that are required, by the name or the URI of what is used: one scope value or several. */
export type ScopesByName = Readonly<Record<string, string | readonly string[]>>;

/** The required scopes of a kind of MCP objects, by name. `all` are the scopes of all objects of the kind. */
export interface RequiredScopes {
  readonly byName: ReadonlyMap<string, readonly string[]>;
  readonly all: readonly string[];
}

/**
 * Validates the scopes that `toolScopes()` receives.
 * @throws {InvalidArgumentError} If a scope is not a valid scope value.
 */
export function requiredScopes(scopes: ScopesByName): RequiredScopes {
  const byName = new Map(Object.entries(scopes).map(([name, needed]) => [name, [needed].flat()]));
  for (const [name, needed] of byName) {
    const invalid = needed.filter((scope: unknown) => typeof scope !== 'string' || !isScopeValue(scope));
    if (invalid.length === 0) continue;
    throw new InvalidArgumentError(
      `Invalid argument: \`toolScopes()\` contains an invalid scope value for \`${name}\`: \`${String(invalid[0])}\``,
    );
  }
  return { byName, all: [...new Set([...byName.values()].flat())] };
}

/** Returns the scopes for a name. A name that is not text requires the scopes of all. */
export const scopesOfName = ({ byName, all }: RequiredScopes, name: unknown): readonly string[] =>
  typeof name === 'string' ? (byName.get(name) ?? []) : all;

/**
 * Dot segments and encoded separators. A server may resolve such a URI to a resource that the text of the URI does not
 * begin with.
 */
const AMBIGUOUS = /(?:^|[/\\:])(?:\.|%2e){1,2}(?:[/\\?#]|$)|%2f|%5c|\\/i;

/**
 * Returns the scopes for the URI of a resource. A listed URI that ends with `*` applies to all URIs that begin with the
 * text before it. A URI that is not in its normalized form requires the scopes of all resources.
 */
export function scopesOfUri(required: RequiredScopes, uri: unknown): readonly string[] {
  const { byName, all } = required;
  if (byName.size === 0) return [];
  if (typeof uri !== 'string' || AMBIGUOUS.test(uri) || !URL.canParse(uri) || new URL(uri).href !== uri) return all;
  return scopesWhere(required, (prefix, isExact) => (isExact ? uri === prefix : uri.startsWith(prefix)));
}

/**
 * Returns the scopes for the URI template of a resource, as in `completion/complete`: those of each listed URI that the
 * template may produce.
 */
export function scopesOfTemplate(required: RequiredScopes, template: unknown): readonly string[] {
  if (typeof template !== 'string') return required.all;
  const [start = ''] = template.split('{', 1);
  if (start === template) return scopesOfUri(required, template);
  return scopesWhere(required, (prefix) => prefix.startsWith(start) || start.startsWith(prefix));
}

function scopesWhere({ byName }: RequiredScopes, matches: (text: string, isExact: boolean) => boolean): string[] {
  const entries = [...byName].filter(([key]) => {
    const isExact = !key.endsWith('*');
    return matches(isExact ? key : key.slice(0, -1), isExact);
  });
  return [...new Set(entries.flatMap(([, needed]) => needed))];
}
