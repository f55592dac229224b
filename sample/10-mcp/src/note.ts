import { Column, Entity, type MigrationInterface, PrimaryGeneratedColumn, type QueryRunner, Table } from 'typeorm';

@Entity('notes')
export class Note {
  @PrimaryGeneratedColumn() id!: number;
  @Column('varchar') userId!: string;
  @Column('text') text!: string;
}

export class CreateNotes1767312000000 implements MigrationInterface {
  async up(runner: QueryRunner) {
    const columns = [
      { name: 'id', type: 'integer', isPrimary: true, isGenerated: true, generationStrategy: 'increment' as const },
      { name: 'userId', type: 'varchar' },
      { name: 'text', type: 'text' },
    ];
    await runner.createTable(new Table({ name: 'notes', columns }));
    await runner.manager.insert(Note, { userId: '1', text: 'Follow the white rabbit' });
  }

  async down(runner: QueryRunner) {
    await runner.dropTable('notes');
  }
}
