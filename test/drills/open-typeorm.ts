import { oauthEntities, oauthMigrations } from 'nest-oauth2/stores/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';

/** Connects TypeORM, with the entities and migrations of the store, to a server of a drill. */
export const openTypeOrm = (
  type: 'mariadb' | 'postgres',
  url: string,
  more: Partial<DataSourceOptions> = {},
): Promise<DataSource> =>
  new DataSource({
    type,
    url,
    ...more,
    entities: oauthEntities(),
    migrations: oauthMigrations(),
  } as DataSourceOptions).initialize();
