import { Column, Entity, type MigrationInterface, PrimaryGeneratedColumn, type QueryRunner, Table } from 'typeorm';
import { firstNotes } from './demo-data.js';

/** A note of a user, stored by the API. */
@Entity('notes')
export class Note {
  @PrimaryGeneratedColumn() id!: number;
  @Column('varchar') userId!: string;
  @Column('text') text!: string;
}

/** The migration for the application's own table. The library has separate migrations for its tables. */
export class CreateTables1767312000000 implements MigrationInterface {
  async up(runner: QueryRunner) {
    const columns = [
      { name: 'id', type: 'integer', isPrimary: true, isGenerated: true, generationStrategy: 'increment' as const },
      { name: 'userId', type: 'varchar' },
      { name: 'text', type: 'text' },
    ];
    await runner.createTable(new Table({ name: 'notes', columns }));
    await runner.manager.insert(Note, firstNotes);
  }

  async down(runner: QueryRunner) {
    await runner.dropTable('notes');
  }
}
