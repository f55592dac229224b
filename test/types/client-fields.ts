import { expectTypeOf } from 'expect-type';
import { type Client, clientField, type CoreClient, type FieldsOf } from 'nest-oauth2/server';

// A field of a client has one key. Its type is that of the property which an application sets.

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isSubjectType = (value: unknown): value is 'public' | 'pairwise' => value === 'public' || value === 'pairwise';

const SUBJECT_TYPE = clientField('subject_type', isSubjectType);
const TENANT_ID = clientField('tenant_id', isNumber);

export function read(client: CoreClient) {
  expectTypeOf(SUBJECT_TYPE.name).toEqualTypeOf<'subject_type'>();
  expectTypeOf(SUBJECT_TYPE.property).toEqualTypeOf<'subjectType'>();
  expectTypeOf(SUBJECT_TYPE.of(client)).toEqualTypeOf<'public' | 'pairwise' | undefined>();
  expectTypeOf(TENANT_ID.of(client)).toEqualTypeOf<number | undefined>();

  // @ts-expect-error a field is read by its key
  const property: unknown = client.subjectType;
  // @ts-expect-error a field is read by its key
  const member: unknown = client.subject_type;
  return [property, member];
}

// A field that `Client` declares keeps the declared type, even if its validator accepts less.
expectTypeOf(
  clientField('application_type', (value): value is 'web' => value === 'web').of({ id: 'web' }),
).toEqualTypeOf<string | undefined>();

// @ts-expect-error `Client` declares a boolean
clientField('require_auth_time', isText);

// An application types the field of its own feature by the key.
export const own: Client & FieldsOf<typeof TENANT_ID> = { id: 'web', grants: [], subjectType: 'pairwise', tenantId: 1 };

export const wrong: Client & FieldsOf<typeof TENANT_ID> = {
  id: 'web',
  grants: [],
  // @ts-expect-error no subject type
  subjectType: 'private',
  // @ts-expect-error no number
  tenantId: 'one',
};

// A restricted field knows the server that its validator needs.
const server = { tenants: [1] };
const served = TENANT_ID.restrict((tenant: number, { tenants }: typeof server) => tenants.includes(tenant));
expectTypeOf(served.isValid).toBeCallableWith(1, server);
// @ts-expect-error the validator needs a server
served.isValid(1, undefined);
