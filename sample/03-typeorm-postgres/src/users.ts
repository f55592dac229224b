import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Users } from 'nest-oauth2/stores/typeorm';
import { Column, DataSource, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner, Table } from 'typeorm';
import { hashPassword } from './passwords.js';

@Entity('users')
export class User {
  @PrimaryColumn('uuid') id!: string;
  @Column('varchar', { unique: true }) username!: string;
  @Column('varchar') salt!: string;
  @Column('varchar') passwordHash!: string;
}

const hashOf = async (password: string, salt: string) => (await hashPassword(password, salt)).toString('base64');

/** The users stay yours: the library asks for one by name and password, or by id, and keeps the id. */
@Injectable()
export class UsersOfTheTable implements Users {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  async findById(id: string) {
    return open(await this.dataSource.manager.findOneBy(User, { id }));
  }

  async findByCredentials(username: string, password: string) {
    const user = await this.dataSource.manager.findOneBy(User, { username });
    // Hashed for unknown names too: the time an answer takes does not tell which names exist.
    const hash = await hashOf(password, user?.salt ?? 'nobody');
    const isRight = user && timingSafeEqual(Buffer.from(hash), Buffer.from(user.passwordHash));
    return isRight ? open(user) : undefined;
  }
}

/** What controllers get to see as the current user. */
const open = (user: User | null) => user && { id: user.id, username: user.username };

/** A migration as you have them already. This one also lets alice in. */
export class CreateUsers1767312000000 implements MigrationInterface {
  async up(runner: QueryRunner) {
    const columns = [
      { name: 'id', type: 'uuid', isPrimary: true },
      { name: 'username', type: 'varchar', isUnique: true },
      { name: 'salt', type: 'varchar' },
      { name: 'passwordHash', type: 'varchar' },
    ];
    await runner.createTable(new Table({ name: 'users', columns }));
    const salt = randomBytes(16).toString('base64');
    const passwordHash = await hashOf('wonderland', salt);
    await runner.manager.insert(User, { id: randomUUID(), username: 'alice', salt, passwordHash });
  }

  async down(runner: QueryRunner) {
    await runner.dropTable('users');
  }
}
