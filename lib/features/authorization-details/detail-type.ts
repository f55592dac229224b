import type { AuthorizationDetailsType } from '../../contracts/authorization-details.js';

/** The options of `authorizationDetails()`. */
export interface AuthorizationDetailsOptions {
  /** The types of authorization details that clients may request, by the value of `type`. */
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

/** Yields the configuration errors in the option `types` of `authorizationDetails()`. */
export function* typeErrors(types: unknown): Iterable<string> {
  const all = typeof types === 'object' && types !== null ? Object.entries(types) : [];
  if (all.length === 0) {
    yield "`authorizationDetails()` requires `types`, such as `{ payment_initiation: { title: 'Start a payment' } }`";
  }
  for (const [name, type] of all) {
    const location = `the type \`${name}\` of \`authorizationDetails()\``;
    if (typeof type !== 'object' || type === null) {
      yield `${location} must be an object. Use \`{}\` if it has no settings`;
      continue;
    }
    for (const [member, value] of Object.entries(type as object)) {
      const kind = Object.hasOwn(FIELDS, member) ? FIELDS[member as keyof typeof FIELDS] : undefined;
      if (kind === undefined)
        yield `${location} has the unknown member \`${member}\`. Use only ${Object.keys(FIELDS).join(', ')}`;
      else if (value !== undefined && !KINDS[kind]!(value)) yield `\`${member}\` of ${location} must be a ${kind}`;
    }
  }
}
