import type { Client } from '../model/model.js';

/** A field of a client's registration: its name, type, validator and reader. RFC 7591 §2 */
export interface ClientField<Name extends string, T, Server = unknown> {
  /** The name of the field in client metadata, such as `subject_type`. */
  readonly name: Name;
  /** The property of a client that an application sets, such as `subjectType`. */
  readonly property: CamelCase<Name>;
  /** Whether a client may register this value for the field at the server. */
  isValid(value: unknown, server: Server): value is T;
  /**
   * Returns the value of this field for a client: the property that the application set, or else the member of the
   * client's registered `metadata`. `null` counts as unset. The value is not validated. `undefined` if both are unset.
   */
  of(client: { readonly id: string }): T | undefined;
  /**
   * Returns a field with the same name and a stricter validator, which also calls `isSupported`.
   * @param isSupported Returns whether the server supports a value that has the right type.
   */
  restrict<S = Server>(isSupported: (value: T, server: S) => boolean): ClientField<Name, T, S>;
}

/**
 * Defines a field of clients. A field that `Client` declares has the type declared there. Any other field has the type
 * that `isValid` checks.
 * @param name The name of the field in client metadata, in snake case.
 */
export function clientField<Name extends string, T extends DeclaredType<Name>>(
  name: Name,
  isValid: (value: unknown) => value is T,
): ClientField<Name, FieldType<Name, T>> {
  return new Field<Name, FieldType<Name, T>>(name, isValid);
}

/** The client properties of the given fields, all optional: `Client & FieldsOf<typeof TENANT_ID>`. */
export type FieldsOf<F extends ClientField<string, unknown>> = {
  [K in F as K['property']]?: K extends ClientField<string, infer T> ? T : never;
};

/** Converts a snake-case name to camel case: `subject_type` becomes `subjectType`. */
export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** Converts a camel-case name to snake case: `subjectType` becomes `subject_type`. */
export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** The type that `Client` declares for a field, or `unknown` for a field that it does not declare. */
type DeclaredType<Name extends string> =
  CamelCase<Name> extends keyof Client ? NonNullable<Client[CamelCase<Name>]> : unknown;

type FieldType<Name extends string, T> = CamelCase<Name> extends keyof Client ? DeclaredType<Name> : T;

class Field<Name extends string, T> implements ClientField<Name, T> {
  readonly property: CamelCase<Name>;

  constructor(
    readonly name: Name,
    readonly isValid: (value: unknown, server: unknown) => value is T,
  ) {
    // Computed once, because clients are read on every request.
    this.property = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>;
  }

  of(client: object): T | undefined {
    const own = (client as Values<T>)[this.property];
    if (own !== undefined && own !== null) return own;
    const { metadata } = client as { metadata?: Values<T> | null };
    return typeof metadata === 'object' && metadata !== null ? (metadata[this.name] ?? undefined) : undefined;
  }

  restrict<S>(isSupported: (value: T, server: S) => boolean): ClientField<Name, T, S> {
    const isValid = (value: unknown, server: unknown): value is T =>
      this.isValid(value, server) && isSupported(value, server as S);
    return new Field<Name, T>(this.name, isValid);
  }
}

type Values<T> = Readonly<Record<string, T | null | undefined>>;
