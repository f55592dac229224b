// The slow tests of the stores use Drizzle and Prisma. The other tests use TypeORM.
process.env['TEST_LIBRARIES'] ??= 'others';
