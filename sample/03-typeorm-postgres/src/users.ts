import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { exactCollation, type Users } from 'nest-oauth2/stores/typeorm';
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

/** Looks up users in your own table. The library stores only the user ID. */
@Injectable()
export class UsersService implements Users {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  async findById(id: string) {
    return publicUser(await this.dataSource.manager.findOneBy(User, { id }));
  }

  async findByCredentials(username: string, password: string) {
    const user = await this.dataSource.manager.findOneBy(User, { username });
    // Hash the password for unknown usernames too, so that the response time does not reveal which usernames exist.
    const hash = await hashOf(password, user?.salt ?? 'unknown user');
    const isRight = user && timingSafeEqual(Buffer.from(hash), Buffer.from(user.passwordHash));
    return isRight ? publicUser(user) : undefined;
  }
}

/** Returns the properties that controllers receive as the current user. */
const publicUser = (user: User | null) => user && { id: user.id, username: user.username };

/** An ordinary TypeORM migration. It also creates the user alice. */
export class CreateUsers1767312000000 implements MigrationInterface {
  async up(runner: QueryRunner) {
    const columns = [
      { name: 'id', type: 'uuid', isPrimary: true },
      // On MariaDB and MySQL, other collations find `alice` for `ÀLICE`. On PostgreSQL, this adds nothing.
      { name: 'username', type: 'varchar', isUnique: true, ...(await exactCollation(runner)) },
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
