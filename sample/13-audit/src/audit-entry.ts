import { Column, Entity, type MigrationInterface, PrimaryGeneratedColumn, type QueryRunner, Table } from 'typeorm';

/** An event in the audit trail. The properties used in queries have columns, and the others are stored as JSON. */
@Entity('audit')
export class AuditEntry {
  @PrimaryGeneratedColumn() id!: number;
  @Column('varchar') at!: string;
  @Column('varchar') event!: string;
  @Column('varchar', { nullable: true }) clientId!: string | null;
  @Column('varchar', { nullable: true }) userId!: string | null;
  @Column('varchar', { nullable: true }) grantId!: string | null;
  @Column('text') detail!: string;
}

export class CreateAudit1767312000000 implements MigrationInterface {
  async up(runner: QueryRunner) {
    const columns = [
      { name: 'id', type: 'integer', isPrimary: true, isGenerated: true, generationStrategy: 'increment' as const },
      { name: 'at', type: 'varchar' },
      { name: 'event', type: 'varchar' },
      ...['clientId', 'userId', 'grantId'].map((name) => ({ name, type: 'varchar', isNullable: true })),
      { name: 'detail', type: 'text' },
    ];
    const indices = ['userId', 'grantId'].map((name) => ({ columnNames: [name] }));
    await runner.createTable(new Table({ name: 'audit', columns, indices }));
  }

  async down(runner: QueryRunner) {
    await runner.dropTable('audit');
  }
}
