import mongoose from 'mongoose';
import { MongooseStore, type Users } from 'nest-oauth2/stores/mongoose';

/** Creates the indexes of the store. Run it when you deploy. */
export async function createIndexes(users: Users) {
  await mongoose.connect(process.env['MONGODB_URL'] ?? 'mongodb://localhost/app');
  await new MongooseStore(mongoose.connection, { users, autoIndex: false }).createIndexes();
  await mongoose.disconnect();
}
