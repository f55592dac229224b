import type { Client } from '../model/model.js';

/** A field of a client's registration: its name, its type, its validator and its reader. RFC 7591 §2 */
export interface ClientField<Name extends string, T, Server = unknown> {
  /** The name of the field in client metadata, such as `subject_type`. */
  readonly name: Name;
  /** The property of a client that an application sets, such as `subjectType`. */
  readonly property: CamelCase<Name>;
  /** Whether a client may register the value at the server. */
  isValid(value: unknown, server: Server): value is T;
  /**
   * Returns the value of a client: the property that the application set, or else the member of the `metadata` that the client
   * registered. `null` counts as unset. The value of the application is not validated.
   */
  of(client: { readonly id: string }): T | undefined;
  /** Returns the field with a stricter validator. `isSupported` decides whether the server supports a value of the right type. */
  restrict<S = Server>(isSupported: (value: T, server: S) => boolean): ClientField<Name, T, S>;
}

/**
 * Defines a field of clients. A known field has the type that `Client` declares. Any other field has the type that `isValid` checks.
 * @param name The name of the field in client metadata: lower case, with underscores.
 */
export function clientField<Name extends string, T extends DeclaredType<Name>>(
  name: Name,
  isValid: (value: unknown) => value is T,
): ClientField<Name, FieldType<Name, T>> {
  return new Field<Name, FieldType<Name, T>>(name, isValid);
}

/** The properties that an application may set for some fields: `Client & FieldsOf<typeof TENANT_ID>`. */
export type FieldsOf<F extends ClientField<string, unknown>> = {
  [K in F as K['property']]?: K extends ClientField<string, infer T> ? T : never;
};

/** `subject_type` as `subjectType`. */
export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** `subjectType` as `subject_type`. */
export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** The type that `Client` declares for a field; `unknown` for a field that `Client` does not know. */
type DeclaredType<Name extends string> =
  CamelCase<Name> extends keyof Client ? NonNullable<Client[CamelCase<Name>]> : unknown;

type FieldType<Name extends string, T> = CamelCase<Name> extends keyof Client ? DeclaredType<Name> : T;

class Field<Name extends string, T> implements ClientField<Name, T> {
  readonly property: CamelCase<Name>;

  constructor(
    readonly name: Name,
    readonly isValid: (value: unknown, server: unknown) => value is T,
  ) {
    // Precomputed: a client is read on every request.
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
