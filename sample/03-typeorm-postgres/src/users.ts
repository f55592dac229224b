import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { User as SignedInUser } from 'nest-oauth2';
import { exactCollation, hashPassword, type Users, verifyPassword } from 'nest-oauth2/stores/typeorm';
import { Column, DataSource, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner, Table } from 'typeorm';

@Entity('users')
export class User {
  @PrimaryColumn('uuid') id!: string;
  @Column('varchar', { unique: true }) username!: string;
  @Column('varchar') passwordHash!: string;
}

/** An ID that no user has. Looking it up takes as long as looking up a user. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Looks up users in your own table. The library stores only the user ID. */
@Injectable()
export class UsersService implements Users {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  async findById(id: string) {
    return publicUser(await this.dataSource.manager.findOneBy(User, { id }));
  }

  async findByUsername(username: string) {
    return publicUser(await this.dataSource.manager.findOneBy(User, { username }));
  }

  async verifyPassword(user: SignedInUser | undefined, password: string) {
    const stored = await this.dataSource.manager.findOneBy(User, { id: user ? String(user['id']) : NOBODY });
    // Without a hash, this takes as long, so that the response time does not reveal which usernames exist.
    return verifyPassword(password, stored?.passwordHash);
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
      { name: 'passwordHash', type: 'varchar' },
    ];
    await runner.createTable(new Table({ name: 'users', columns }));
    const passwordHash = await hashPassword('wonderland');
    await runner.manager.insert(User, { id: randomUUID(), username: 'alice', passwordHash });
  }

  async down(runner: QueryRunner) {
    await runner.dropTable('users');
  }
}
