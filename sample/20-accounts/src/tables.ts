import { exactCollation } from 'nest-oauth2/stores/typeorm';
import { Column, Entity, type MigrationInterface, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { type QueryRunner, Table } from 'typeorm';

/** The profile of a user. The store keeps the password and everything else that signs the user in. */
@Entity('accounts')
export class Account {
  @PrimaryColumn('varchar') id!: string;
  @Column('varchar', { unique: true }) email!: string;
  @Column('varchar') name!: string;
}

/** A note of a user. */
@Entity('notes')
export class Note {
  @PrimaryGeneratedColumn() id!: number;
  @Column('varchar') userId!: string;
  @Column('text') text!: string;
}

/** The migration for the application's own tables. The library has separate migrations for its tables. */
export class CreateTables1767312000000 implements MigrationInterface {
  async up(runner: QueryRunner) {
    // Other databases than SQLite may treat similar addresses as equal.
    const exact = await exactCollation(runner);
    const accounts = [
      { name: 'id', type: 'varchar', length: '36', isPrimary: true, ...exact },
      { name: 'email', type: 'varchar', length: '191', isUnique: true, ...exact },
      { name: 'name', type: 'varchar', length: '191' },
    ];
    const notes = [
      { name: 'id', type: 'integer', isPrimary: true, isGenerated: true, generationStrategy: 'increment' as const },
      { name: 'userId', type: 'varchar', length: '36', ...exact },
      { name: 'text', type: 'text' },
    ];
    await runner.createTable(new Table({ name: 'accounts', columns: accounts }));
    await runner.createTable(new Table({ name: 'notes', columns: notes, indices: [{ columnNames: ['userId'] }] }));
  }

  async down(runner: QueryRunner) {
    await runner.dropTable('notes');
    await runner.dropTable('accounts');
  }
}
