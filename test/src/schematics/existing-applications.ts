const importOf = (name: string, path: string) => `import { ${name} } from '${path}';\n`;

const ROOT = (imports: string, names: string) => `import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
${imports}
@Module({ imports: [ConfigModule.forRoot({ isGlobal: true, ignoreEnvFile: true }), ${names}] })
export class AppModule {}
`;

const MAIN = `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  app.setGlobalPrefix('/api');
  await app.listen(process.env.PORT ?? 4000);
}
void bootstrap();
`;

const manifest = (...names: string[]) => ({
  name: 'shop',
  scripts: { 'start:prod': 'node dist/main' },
  dependencies: Object.fromEntries(['@nestjs/core', '@nestjs/config', ...names].map((name) => [name, '*'])),
});

/** An application with Drizzle on SQLite, whose table of users has numbers as IDs. */
export const DRIZZLE = {
  'package.json': manifest('drizzle-orm'),
  'src/main.ts': MAIN,
  'src/app.module.ts': ROOT(importOf('DatabaseModule', './db/database.module'), 'DatabaseModule'),
  'src/db/schema.ts': `import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const orders = sqliteTable('orders', { id: integer('id').primaryKey(), text: text('text').notNull() });

export const users = sqliteTable('users', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  email: text('email').notNull().unique(),
  name: text('name'),
  passwordHash: text('password_hash').notNull(),
  city: text('city').notNull(),
  role: text('role').notNull().default('reader'),
});
`,
  'src/db/database.module.ts': `import { createClient } from '@libsql/client';
import { Module } from '@nestjs/common';
import { drizzle } from 'drizzle-orm/libsql';

export const DRIZZLE = Symbol('DRIZZLE');

@Module({
  providers: [
    { provide: DRIZZLE, useFactory: () => drizzle({ client: createClient({ url: process.env.SHOP_DATABASE! }) }) },
  ],
  exports: [DRIZZLE],
})
export class DatabaseModule {}
`,
};

/** An application with TypeORM as a provider, whose users have UUIDs and whose hash is not selected by default. */
export const TYPEORM = {
  'package.json': manifest('typeorm'),
  'src/main.ts': MAIN.replace(/.*setGlobalPrefix.*\n/, ''),
  'src/app.module.ts': ROOT(importOf('DatabaseModule', './database.module'), 'DatabaseModule'),
  'src/account.entity.ts': `import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity()
export class Account {
  @PrimaryGeneratedColumn('uuid')
  id: string;

  @Column('varchar', { unique: true })
  username: string;

  @Column('varchar', { select: false })
  password: string;

  @Column('integer', { default: 0 })
  visits: number;

  @Column('boolean')
  active: boolean;

  @CreateDateColumn()
  createdAt: Date;
}
`,
  'src/database.module.ts': `import libsql from 'libsql';
import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Account } from './account.entity';

@Module({
  providers: [
    {
      provide: 'DATA_SOURCE',
      useFactory: () =>
        new DataSource({
          type: 'better-sqlite3',
          driver: libsql,
          database: process.env.SHOP_DATABASE_FILE!,
          entities: [Account],
          synchronize: true,
        }).initialize(),
    },
  ],
  exports: ['DATA_SOURCE'],
})
export class DatabaseModule {}
`,
};

/** An application with Prisma on PostgreSQL and bcrypt, whose service is provided by a global module. */
export const PRISMA = {
  'package.json': manifest('@prisma/client', 'bcrypt'),
  'src/main.ts': MAIN,
  'src/app.module.ts': ROOT(importOf('PrismaModule', './prisma.module'), 'PrismaModule'),
  'src/auth.ts':
    'const email = body.email.toLowerCase();\nexport const make = (text: string) => bcrypt.hash(text, 12);\n',
  'src/prisma.service.ts':
    "import { PrismaClient } from '@prisma/client';\nexport class PrismaService extends PrismaClient {}\n",
  'src/prisma.module.ts':
    '@Global()\n@Module({ providers: [PrismaService], exports: [PrismaService] })\nexport class PrismaModule {}\n',
  'prisma/schema.prisma': `generator client {
  provider = "prisma-client-js"
}

datasource db {
  provider = "postgresql"
}

enum Role {
  READER
  WRITER
}

model Order {
  id BigInt @id
}

model Member {
  id           BigInt   @id @default(autoincrement())
  email        String   @unique
  resetToken   String?
  passwordHash String?
  role         Role     @default(READER)
  born         DateTime
  orders       Order[]
}
`,
};

/** An application with Mongoose. */
export const MONGOOSE = {
  'package.json': manifest('@nestjs/mongoose', 'mongoose', 'argon2'),
  'src/main.ts': MAIN,
  'src/app.module.ts': ROOT(
    importOf('MongooseModule', '@nestjs/mongoose'),
    "MongooseModule.forRoot('mongodb://127.0.0.1/shop')",
  ),
  'src/user.schema.ts': `@Schema()
export class User {
  @Prop({ required: true, unique: true })
  username: string;

  @Prop({ required: true, select: false })
  password: string;

  @Prop([String])
  roles: string[];
}
`,
};

/** An application with Mongoose, whose users sign in by e-mail address. */
export const MONGOOSE_SHOP = {
  'package.json': manifest('@nestjs/mongoose', 'mongoose'),
  'src/main.ts': MAIN,
  'src/app.module.ts': ROOT(
    importOf('MongooseModule', '@nestjs/mongoose') + importOf('UsersModule', './users.module'),
    'MongooseModule.forRoot(process.env.SHOP_MONGODB!, { dbName: process.env.SHOP_MONGODB_NAME }), UsersModule',
  ),
  'src/user.schema.ts': `import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

@Schema()
export class User {
  @Prop({ type: String, required: true, unique: true, lowercase: true })
  email: string;

  @Prop({ type: String, required: true, select: false })
  password: string;

  @Prop({ type: String })
  name?: string;

  @Prop({ type: String, default: 'reader' })
  role: string;
}

export const UserSchema = SchemaFactory.createForClass(User);
`,
  'src/users.module.ts': `import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { User, UserSchema } from './user.schema';

@Module({ imports: [MongooseModule.forFeature([{ name: User.name, schema: UserSchema }])] })
export class UsersModule {}
`,
};
