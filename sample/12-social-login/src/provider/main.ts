import { provider } from '../addresses.js';
import { start } from '../start.js';
import { AppModule } from './app.module.js';

start(AppModule, provider.issuer);
