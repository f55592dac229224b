import { Module } from '@nestjs/common';
import { drizzle } from 'drizzle-orm/node-postgres';
import { OAuth2Module } from 'nest-oauth2';
import { DrizzleStore } from 'nest-oauth2/stores/drizzle';

const users = {
  findByCredentials: (name: string, password: string) =>
    name === 'alice' && password === 'wonderland' && { id: '1', name },
  findById: (id: string) => id === '1' && { id, name: 'alice' },
};

const db = drizzle(process.env['DATABASE_URL'] ?? 'postgres://localhost/app');

@Module({ imports: [OAuth2Module.forRoot({ model: new DrizzleStore(db, { users }) })] })
export class AppModule {}
