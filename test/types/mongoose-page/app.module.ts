import { Module } from '@nestjs/common';
import { getConnectionToken, MongooseModule } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { OAuth2Module } from 'nest-oauth2';
import { MongooseStore } from 'nest-oauth2/stores/mongoose';

const users = {
  findByCredentials: (name: string, password: string) =>
    name === 'alice' && password === 'wonderland' && { id: '1', name },
  findById: (id: string) => id === '1' && { id, name: 'alice' },
};

@Module({
  imports: [
    MongooseModule.forRoot(process.env['MONGODB_URL'] ?? 'mongodb://localhost/app'),
    OAuth2Module.forRoot({
      model: {
        inject: [getConnectionToken()],
        useFactory: (connection: Connection) => new MongooseStore(connection, { users }),
      },
    }),
  ],
})
export class AppModule {}
