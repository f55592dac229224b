import { Module } from '@nestjs/common';
import { Provider } from './provider.js';
import { SignInController } from './sign-in.controller.js';

/** An application without its own user accounts. */
@Module({ controllers: [SignInController], providers: [Provider] })
export class AppModule {}
