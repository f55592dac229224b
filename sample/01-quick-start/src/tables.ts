import {
  Column,
  Entity,
  type MigrationInterface,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type QueryRunner,
  Table,
} from 'typeorm';
import { firstNotes } from './demo-data.js';

/** What a user lets a client do: one row for each scope. */
@Entity('consents')
export class Consent {
  @PrimaryColumn('varchar') userId!: string;
  @PrimaryColumn('varchar') clientId!: string;
  @PrimaryColumn('varchar') scope!: string;
}

/** A login in a browser; `until` is in milliseconds since 1970. */
@Entity('sessions')
export class Session {
  @PrimaryColumn('varchar') digest!: string;
  @Column('varchar') userId!: string;
  @Column('integer') until!: number;
}

/** What the API keeps. */
@Entity('notes')
export class Note {
  @PrimaryGeneratedColumn() id!: number;
  @Column('varchar') userId!: string;
  @Column('text') text!: string;
}

const key = (name: string) => ({ name, type: 'varchar', isPrimary: true });

/** The tables of the application. Those of the library come with a migration of their own. */
export class CreateTables1767312000000 implements MigrationInterface {
  async up(runner: QueryRunner) {
    await runner.createTable(new Table({ name: 'consents', columns: ['userId', 'clientId', 'scope'].map(key) }));
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
    await runner.dropTable('consents');
  }
}

export class CreateSessions1767398400000 implements MigrationInterface {
  async up(runner: QueryRunner) {
    const columns = [key('digest'), { name: 'userId', type: 'varchar' }, { name: 'until', type: 'integer' }];
    await runner.createTable(new Table({ name: 'sessions', columns }));
  }

  async down(runner: QueryRunner) {
    await runner.dropTable('sessions');
  }
}
