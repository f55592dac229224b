import { scopeValues } from '../../lib/adapter/index.js';
import { capability, type Feature, type Scope } from '../../lib/index.js';
import { AnyScope } from './any-scope.decorator.js';
import { Scopes, type ScopesOf, verifyScopes } from './scopes.decorator.js';

/** What one scope is, for people. RFC 6749 §3.3 */
export interface ScopeDefinition {
  /** In a few words, for lists and documentation: 'Write notes'. */
  readonly title: string;
  /** The sentence of a consent page: 'Write and change notes in your name'. Default: the title. */
  readonly consent?: string;
}

/** A scope as a page shows it. */
export interface DescribedScope {
  readonly name: string;
  readonly title: string;
  readonly consent: string;
}

/**
 * The scopes of a host, said once: what its routes may demand. Listed in `features` of the module they are what the metadata name,
 * what the ready-made consent page says of them, and the scopes of the OpenAPI document.
 */
export interface DefinedScopes<Name extends string> extends Feature {
  readonly definitions: Readonly<Record<Name, ScopeDefinition>>;
  /** For `scopes_supported` and for the `scopes` of a client. RFC 8414 §2 */
  readonly names: readonly Name[];
  /** `@Scopes()`, of these and functions alone. */
  Scopes(this: void, ...scopes: (Name | ScopesOf)[]): ReturnType<typeof Scopes>;
  /** `@AnyScope()`, of these alone. */
  AnyScope(this: void, ...scopes: [Name, ...Name[]]): ReturnType<typeof AnyScope>;
  /** What a page shows of a scope: one that is not defined by its name, so that nothing is granted unseen. RFC 6749 §4.1.1 */
  explain(this: void, scope: Scope | null | undefined): readonly DescribedScope[];
}

/**
 * Names the scopes of a host once. A misspelt scope in its `Scopes` and `AnyScope` does not compile; consent pages, metadata and
 * API documentation read the same definition. RFC 6749 §3.3
 * @throws InvalidArgumentError when a name is no scope
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

/** The scopes that an application has defined and listed in `features`. */
export const DEFINED_SCOPES = capability<Readonly<Record<string, ScopeDefinition>>>('defined scopes', 'defineScopes');
