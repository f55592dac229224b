import {
  EntitySchema,
  type EntitySchemaColumnOptions,
  type EntitySchemaIndexOptions,
  type ValueTransformer,
} from 'typeorm';

export interface TableOptions {
  /** What the names of the tables begin with. Default: 'oauth_' */
  prefix?: string;
}

/** Names of the tables, and of the entities, which are the same. */
export function tableNames(prefix = 'oauth_') {
  return {
    clients: `${prefix}clients`,
    grants: `${prefix}grants`,
    codes: `${prefix}codes`,
    tokens: `${prefix}tokens`,
  };
}

/** Entities for the `DataSource` of a host: without decorators, so that any compiler can build it. */
export function oauthEntities({ prefix }: TableOptions = {}): EntitySchema[] {
  const { clients, grants, codes, tokens } = tableNames(prefix);
  const issued = {
    digest: { ...text('digest', 43), primary: true },
    grantId: text('grant_id'),
    clientId: text('client_id'),
    userId: nullable(text('user_id')),
    scope: nullable(longText('scope')),
    expiresAt: time('expires_at'),
    revokedAt: nullable(time('revoked_at')),
  };
  return [
    entity(clients, {
      id: { ...text('id'), primary: true },
      secretHashes: { name: 'secret_hashes', type: 'simple-json' },
      metadata: { name: 'metadata', type: 'simple-json' },
      createdAt: time('created_at'),
    }),
    entity(
      grants,
      {
        id: { ...text('id'), primary: true },
        clientId: text('client_id'),
        userId: nullable(text('user_id')),
        scope: nullable(longText('scope')),
        createdAt: time('created_at'),
        lastUsedAt: nullable(time('last_used_at')),
        expiresAt: time('expires_at'),
        revokedAt: nullable(time('revoked_at')),
      },
      { user: ['userId', 'revokedAt'], client: ['clientId', 'revokedAt'], expiry: ['expiresAt'] },
    ),
    entity(
      codes,
      {
        ...issued,
        redirectUri: nullable(longText('redirect_uri')),
        codeChallenge: nullable(text('code_challenge')),
        codeChallengeMethod: nullable(text('code_challenge_method', 16)),
      },
      { expiry: ['expiresAt'] },
    ),
    entity(tokens, { ...issued, kind: text('kind', 16) }, { expiry: ['expiresAt'] }),
  ];
}

type Columns = Record<string, EntitySchemaColumnOptions>;

function entity(name: string, columns: Columns, indices: Record<string, string[]> = {}): EntitySchema {
  return new EntitySchema({
    name,
    tableName: name,
    columns,
    indices: Object.entries(indices).map(([use, of]): EntitySchemaIndexOptions => ({
      name: `${name}_${use}`,
      columns: of,
    })),
  });
}

const text = (name: string, length = 255): EntitySchemaColumnOptions => ({ name, type: 'varchar', length });
const longText = (name: string): EntitySchemaColumnOptions => ({ name, type: 'text' });
const nullable = (column: EntitySchemaColumnOptions): EntitySchemaColumnOptions => ({ ...column, nullable: true });

/** Milliseconds since the epoch. Drivers hand 64 bits over as text, lest some be lost; here none are. */
const milliseconds: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: unknown) => (value === null || value === undefined ? value : Number(value)),
};
const time = (name: string): EntitySchemaColumnOptions => ({ name, type: 'bigint', transformer: milliseconds });
