import { capability, distance, type Feature, nearestName, scopeValues } from '../../lib/internal.js';
import type { Scope } from '../../lib/index.js';
import { AnyScope } from './any-scope.decorator.js';
import { Scopes, type ScopesOf, verifyScopes } from './scopes.decorator.js';

/** The description of one scope for users. RFC 6749 §3.3 */
export interface ScopeDefinition {
  /** A title of a few words, for lists and documentation: `'Write notes'`. */
  readonly title: string;
  /** The text on the consent page: `'Write and change notes in your name'`. Default: `title`. */
  readonly consent?: string;
  /** Whether the user cannot refuse this scope while allowing others, with `optionalScopes` of `pages()`. Default: `false`. */
  readonly required?: boolean;
}

/**
 * The name of a scope with the texts that pages show for it. An undefined scope has its name as `title` and `consent`.
 */
export interface DescribedScope {
  readonly name: string;
  readonly title: string;
  readonly consent: string;
}

/**
 * The scopes of an application, with decorators for them. Listed in the `features` of the module, they are published in
 * the metadata, described on the ready-made consent page, and added to the OpenAPI document.
 */
export interface DefinedScopes<Name extends string> extends Feature {
  readonly definitions: Readonly<Record<Name, ScopeDefinition>>;
  /** The names of the scopes, for `scopes_supported` and for the `scopes` of a client. RFC 8414 §2 */
  readonly names: readonly Name[];
  /** `@Scopes()`, limited to these scopes and to functions that return scopes. */
  Scopes(this: void, ...scopes: (Name | ScopesOf)[]): ReturnType<typeof Scopes>;
  /** `@AnyScope()`, limited to these scopes. */
  AnyScope(this: void, ...scopes: [Name, ...Name[]]): ReturnType<typeof AnyScope>;
  /**
   * Returns the texts of the values of a `scope`. A scope that is not defined is shown by its name, so that the user
   * sees everything that is granted. RFC 6749 §4.1.1
   */
  explain(this: void, scope: Scope | null | undefined): readonly DescribedScope[];
}

/**
 * Defines the scopes of an application in one place. A misspelled scope in the returned `Scopes` or `AnyScope`
 * decorator does not compile. Consent pages, metadata and API documentation use the same definitions.
 * @throws {InvalidArgumentError} If a name is not a valid scope value. RFC 6749 §3.3
 */
export function defineScopes<const Definitions extends Readonly<Record<string, ScopeDefinition>>>(
  definitions: Definitions,
): DefinedScopes<keyof Definitions & string> {
  const names = Object.freeze(Object.keys(definitions)) as readonly (keyof Definitions & string)[];
  verifyScopes(names, 'defineScopes()');
  const known = new Map<string, ScopeDefinition>(Object.entries(definitions));
  return {
    id: 'defineScopes',
    install(builder) {
      builder.provide(DEFINED_SCOPES, () => definitions);
      return { metadata: () => ({ scopes_supported: names }) };
    },
    definitions,
    names,
    Scopes,
    AnyScope,
    explain(scope) {
      const values = scopeValues(scope).filter(Boolean);
      return values.map((name) => {
        const { title = name, consent = title } = known.get(name) ?? {};
        return { name, title, consent };
      });
    },
  };
}

/** The scopes that OpenID Connect defines, which need no definition. OpenID Connect Core §5.4, §11 */
const STANDARD = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'];
/** Maximum edit distance at which a scope counts as a misspelling of a defined scope. */
const MISSPELLED = 2;

/** Whether a scope is among the defined ones, or needs no definition. */
export const isDefinedScope = (scope: string, names: readonly string[]): boolean =>
  names.includes(scope) || STANDARD.includes(scope);

/** Returns the defined scope of which an undefined one is probably a misspelling, because at most two letters differ. */
export function misspelledScope(scope: string, names: readonly string[]): string | undefined {
  const nearest = nearestName(scope, names);
  return nearest !== undefined && distance(scope, nearest) <= MISSPELLED ? nearest : undefined;
}

/** The capability key of the scopes that an application has defined with `defineScopes()` and listed in `features`. */
export const DEFINED_SCOPES = capability<Readonly<Record<string, ScopeDefinition>>>('defined scopes', 'defineScopes');
