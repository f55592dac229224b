import type { AuthorizationDetail } from '../../contracts/authorization-details.js';

/** A kind of authorization details: what one may say, and what users are told of it. RFC 9396 §2.1 */
export interface AuthorizationDetailsType {
  /** What it is about, for users: `Start a payment`. Default: the name of the type */
  title?: string;
  /** The fields that one may have beside `type`; any other is refused. Default: any may be there. RFC 9396 §5 */
  fields?: readonly string[];
  /** The fields that one must have. Default: none */
  required?: readonly string[];
  /** Judges one by itself: throws, or returns `false`, where it is not good; the `parse` of a schema will do. RFC 9396 §5 */
  validate?(detail: AuthorizationDetail): unknown;
  /** What users are told of one, by a few lines. Default: its fields, by their names */
  describe?(detail: AuthorizationDetail, language: string): string | readonly string[];
  /**
   * Is what a token is asked for part of what was granted? Default: the same, with fewer `locations`, `actions`, `datatypes` and
   * `privileges` if it likes. RFC 9396 §6.1
   */
  isWithin?(asked: AuthorizationDetail, granted: AuthorizationDetail): boolean;
  /** May what a user agreed to once stand for the very same later? Default: false, they are asked each time */
  remember?: boolean;
}

/** What `authorizationDetails()` takes. */
export interface AuthorizationDetailsOptions {
  /** The types that clients may ask for, by the value of `type`. */
  types: Readonly<Record<string, AuthorizationDetailsType>>;
}

const FIELDS: { readonly [K in keyof AuthorizationDetailsType]-?: string } = {
  title: 'text',
  fields: 'list',
  required: 'list',
  validate: 'function',
  describe: 'function',
  isWithin: 'function',
  remember: 'boolean',
};

const KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string' && value !== '',
  list: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  function: (value) => typeof value === 'function',
  boolean: (value) => typeof value === 'boolean',
};

/** What is wrong with the types of a host, as sentences. */
export function* typeFaults(types: unknown): Iterable<string> {
  const all = typeof types === 'object' && types !== null ? Object.entries(types) : [];
  if (all.length === 0) {
    yield "`authorizationDetails()` needs `types`, such as `{ payment_initiation: { title: 'Start a payment' } }`";
  }
  for (const [name, type] of all) {
    const place = `the type \`${name}\` of \`authorizationDetails()\``;
    if (typeof type !== 'object' || type === null) {
      yield `${place} must be an object, \`{}\` if there is nothing to say`;
      continue;
    }
    for (const [member, value] of Object.entries(type as object)) {
      const kind = Object.hasOwn(FIELDS, member) ? FIELDS[member as keyof typeof FIELDS] : undefined;
      if (kind === undefined) yield `${place} has no \`${member}\`: it has ${Object.keys(FIELDS).join(', ')}`;
      else if (value !== undefined && !KINDS[kind]!(value)) yield `\`${member}\` of ${place} must be a ${kind}`;
    }
  }
}
