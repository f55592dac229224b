import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import helmet from 'helmet';
import { addOAuth2 } from 'nest-oauth2/swagger';
import { issuer, port } from './address.js';
import { AppModule } from './app.module.js';
import { scopes } from './scopes.js';

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn', 'debug'] });
app.use(helmet());

const config = new DocumentBuilder().setTitle('Notes').setVersion('1.0').build();
SwaggerModule.setup('docs', app, () => addOAuth2(app, SwaggerModule.createDocument(app, config)), {
  swaggerOptions: {
    // Must match the registered redirect URI. Swagger UI's default is `/oauth2-redirect.html`, without `docs`.
    oauth2RedirectUrl: `${issuer}/docs/oauth2-redirect.html`,
    initOAuth: { clientId: 'swagger-ui', scopes: [...scopes.names], usePkceWithAuthorizationCodeGrant: true },
  },
});

await app.listen(port, '127.0.0.1');
console.log(`
  Open      ${await app.getUrl()}/docs
  Sign in   alice / wonderland
`);
