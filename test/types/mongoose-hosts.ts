import mongoose from 'mongoose';
import { MongooseStore } from 'nest-oauth2/stores/mongoose';

// Connections of Mongoose need no type argument.

const users = { findByCredentials: () => null, findById: () => null };

export function stores() {
  return [
    new MongooseStore(mongoose.connection, { users, prefix: 'sso_', deadline: 5, autoIndex: false }),
    new MongooseStore(mongoose.createConnection(), { users, clients: { findById: () => null } }),
    new MongooseStore(mongoose.connection.useDb('accounts'), { users, rememberSecretsFor: 0 }),
  ];
}

export function mistakes() {
  // @ts-expect-error the options need `users`
  const withoutUsers = new MongooseStore(mongoose.connection, {});
  // @ts-expect-error the client of the driver is no connection of Mongoose
  const withoutMongoose = new MongooseStore(mongoose.connection.getClient(), { users });
  return [withoutUsers, withoutMongoose];
}
