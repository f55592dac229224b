/** The entry of the throw-away version of the package that `build-next.ts` builds. */
export { DrizzleStore, oauthTables } from '../../../lib/stores/drizzle/index.js';
export { PrismaStore } from '../../../lib/stores/prisma/index.js';
export { oauthEntities, oauthMigrations, TypeOrmStore } from '../../../lib/stores/typeorm/index.js';
