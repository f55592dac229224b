import { browser } from '../addresses.js';
import { start } from '../start.js';
import { AppModule } from './app.module.js';

start(AppModule, browser, (app) => {
  app.useStaticAssets('public');
  app.useStaticAssets('node_modules/oidc-client-ts/dist/browser', { prefix: '/oidc-client-ts' });
});
