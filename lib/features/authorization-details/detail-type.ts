import type { AuthorizationDetailsType } from '../../contracts/authorization-details.js';

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
export function* typeErrors(types: unknown): Iterable<string> {
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
