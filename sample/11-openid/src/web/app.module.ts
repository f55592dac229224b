import { Module } from '@nestjs/common';
import { Provider } from './provider.js';
import { SignInController } from './sign-in.controller.js';

/** An application that has no users of its own. */
@Module({ controllers: [SignInController], providers: [Provider] })
export class AppModule {}
