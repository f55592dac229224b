import { expectTypeOf } from 'expect-type';
import type { AuthorizationRequest, Client, CoreClient, Model, Token } from 'nest-oauth2/server';
import {
  type ClientField,
  clientField,
  type ClientRequest,
  type FieldsOf,
  type PresentedToken,
} from 'nest-oauth2/features';

import type * as registrationFields from '../../lib/clients/registration/client-fields.js';
import type * as keyFields from '../../lib/clients/registration/keys.js';
import type { CERTIFICATE_NAMES } from '../../lib/clients/registration/registered-names.js';
import type * as sectorFields from '../../lib/clients/registration/sector-host.js';
import type { SIGNED_RESPONSE_ALG } from '../../lib/jose/encryption/client-signer.js';
import type { ENCRYPTED_RESPONSE } from '../../lib/jose/encryption/find-encryption.js';
import type * as assertionFields from '../../lib/jose/private-key-jwt/client-assertion-verifier.js';
import type * as requestObjectFields from '../../lib/jose/request-objects/client-fields.js';
import type { AuthorizationCode, ClientFields } from '../../lib/model/model.js';
import type * as cibaFields from '../../lib/openid/ciba/client-fields.js';
import type * as openIdFields from '../../lib/openid/client-fields.js';
import type * as logoutFields from '../../lib/openid/logout/client-fields.js';
import type { Provider } from '../../lib/openid/provider.js';
import type { Subjects } from '../../lib/openid/subjects.js';

// Each client field has one key. Its type is that of the property that an application sets.

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

// An application can type the field of its own feature by the key.
export const own: Client & FieldsOf<typeof TENANT_ID> = { id: 'web', grants: [], subjectType: 'pairwise', tenantId: 1 };

export const wrong: Client & FieldsOf<typeof TENANT_ID> = {
  id: 'web',
  grants: [],
  // @ts-expect-error no subject type
  subjectType: 'private',
  // @ts-expect-error no number
  tenantId: 'one',
};

// A restricted field knows the type of server that its validator needs.
const server = { tenants: [1] };
const served = TENANT_ID.restrict((tenant: number, { tenants }: typeof server) => tenants.includes(tenant));
expectTypeOf(served.isValid).toBeCallableWith(1, server);
// @ts-expect-error the validator needs a server
served.isValid(1, undefined);

// Each field that `Client` declares has a key, and each key of the engine is a field that `Client` declares.

type KeyIn<M> = Extract<M[keyof M], ClientField<string, unknown>>;
type KeyInGroups<M> = KeyIn<M[keyof M]>;

type EngineKey =
  | KeyIn<typeof registrationFields>
  | KeyIn<typeof keyFields>
  | KeyIn<typeof sectorFields>
  | (typeof CERTIFICATE_NAMES)[number]['field']
  | KeyIn<typeof assertionFields>
  | KeyIn<typeof requestObjectFields>
  | KeyIn<typeof SIGNED_RESPONSE_ALG>
  | KeyInGroups<typeof ENCRYPTED_RESPONSE>
  | KeyIn<typeof openIdFields>
  | KeyIn<typeof logoutFields>
  | KeyIn<typeof cibaFields>;

expectTypeOf<FieldsOf<EngineKey>>().toEqualTypeOf<Pick<ClientFields, keyof ClientFields>>();

// The engine reads a field by its key. Reading it as a property does not compile.

export async function readDirectly(request: ClientRequest, presented: PresentedToken, code: AuthorizationCode) {
  const client = await request.options.model.getClient('web', null);
  const token = await request.options.model.getAccessToken?.('token');
  if (!client || !token) return [];
  return [
    // @ts-expect-error the client of a request
    request.client.subjectType,
    // @ts-expect-error the client of an access token
    presented.token.client.subjectType,
    // @ts-expect-error the client of an authorization code
    code.client.subjectType,
    // @ts-expect-error the client of a refresh token
    request.refreshToken?.client.subjectType,
    // @ts-expect-error a client that the model found
    client.subjectType,
    // @ts-expect-error the client of a token that the model found
    token.client.subjectType,
    SUBJECT_TYPE.of(token.client),
  ];
}

expectTypeOf<AuthorizationRequest['client']>().toEqualTypeOf<CoreClient>();
expectTypeOf<Parameters<Subjects['of']>[1]>().toEqualTypeOf<CoreClient>();
expectTypeOf<Parameters<Provider['userinfo']>[0]['client']>().toEqualTypeOf<CoreClient>();

// The types of an application contain its own clients with all fields.
expectTypeOf<Token['client']>().toEqualTypeOf<Client>();
expectTypeOf<Parameters<NonNullable<Model['getUserFromClient']>>[0]>().toEqualTypeOf<Client>();
