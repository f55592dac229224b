import { oauthEntities, oauthMigrations } from 'nest-oauth2/stores/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { CreateUsers1767312000000, User } from './users.js';

/** The TypeORM options. The entities and migrations of the library are in the same lists as your own. */
export const options: DataSourceOptions = {
  type: 'postgres',
  url: process.env.DATABASE_URL ?? 'postgres://postgres:postgres@127.0.0.1:5432/postgres',
  entities: [User, ...oauthEntities()],
  migrations: [CreateUsers1767312000000, ...oauthMigrations()],
};

/** The data source for the TypeORM CLI: `typeorm migration:run -d dist/database.js`. */
export default new DataSource(options);
