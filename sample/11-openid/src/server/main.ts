import { start } from '../start.js';
import { AppModule } from './app.module.js';

start(AppModule, `http://127.0.0.1:${process.env.PORT ?? 3000}`);
